use super::*;

/// HERO-27
#[test]
fn a_file_becomes_an_ability() {
    let file = read("report", "\"\"\"\nFor Mondays.\n# properties\ncategory: core\ntags: a, b\ndanger: moderate\nmystery: 1\n\"\"\"\nWords").unwrap();
    let AbilityFile { text, warnings } = file;
    assert_eq!(
        (text.name.as_str(), text.kind, text.danger),
        ("report", AbilityKind::Process, Danger::Moderate)
    );
    assert_eq!((text.category.as_deref(), text.tags), (Some("core"), vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(text.description, "For Mondays.");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("line 7") && warnings[0].contains("`mystery`"), "{warnings:?}");
    assert_eq!(read("x", "---\ndanger: deadly\n---\nWords").unwrap_err().line, 2);
    assert!(read("x", "---\ntype: other\n---\nWords").is_err());
}

#[test]
fn what_is_written_is_read_again() {
    let full = AbilityText {
        name: "bills".to_owned(),
        kind: AbilityKind::Conditional,
        content: "# Ask\n\n---\nfor the {{amount}}.\n\"\"\"\nquoted".to_owned(),
        condition: Some("words(\"invoice\", 'bill') and hour >= 9".to_owned()),
        description: "First line\nsecond line".to_owned(),
        category: Some("Money".to_owned()),
        tags: vec!["a".to_owned(), "b c".to_owned()],
        danger: Danger::Dangerous,
        startup: false,
    };
    let plain = AbilityText { name: "x".to_owned(), content: "Words".to_owned(), ..AbilityText::default() };
    let start = AbilityText { startup: true, ..plain.clone() };
    for ability in [full, plain, start] {
        let file = read("other", &write(&ability)).unwrap();
        assert_eq!(file, AbilityFile { text: ability, warnings: Vec::new() });
    }
}

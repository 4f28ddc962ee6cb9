use super::*;

fn keys(parts: &Parts) -> Vec<(&str, &str)> {
    parts.properties.iter().map(|property| (property.key.as_str(), property.value.as_str())).collect()
}

/// HERO-27
#[test]
fn a_block_has_a_description_and_properties() {
    let text = "\"\"\"\n# Description of it\nWhat it\nis for.\n# Other\n# Properties\ncategory: core\ntags: a, b\n\"\"\"\n\nThe words.\n";
    let parts = split(text).unwrap();
    assert_eq!(parts.description, "What it\nis for.");
    assert_eq!(keys(&parts), [("category", "core"), ("tags", "a, b")]);
    assert_eq!(parts.content, "The words.");
    let plain = split("\"\"\"\nOnly a description.\n\"\"\"\nWords").unwrap();
    assert_eq!((plain.description.as_str(), plain.content.as_str()), ("Only a description.", "Words"));
}

/// HERO-27
#[test]
fn a_block_needs_no_headings_for_properties_that_are_known() {
    let parts =
        split("\"\"\"\nHow to greet\nNote: be kind\ncategory: core\ntags: a, b\n\"\"\"\nWords").unwrap();
    assert_eq!(parts.description, "How to greet\nNote: be kind");
    assert_eq!(keys(&parts), [("category", "core"), ("tags", "a, b")]);
    let under_its_heading = split("\"\"\"\n# Description\ntags: what it is about\n\"\"\"\nWords").unwrap();
    assert_eq!(under_its_heading.description, "tags: what it is about");
}

/// HERO-27
#[test]
fn a_file_without_a_block_is_all_content() {
    let words = "  # A heading\n\nWords.\n";
    assert_eq!(split(words).unwrap(), Parts { content: words.trim().to_owned(), ..Parts::default() });
    assert_eq!(split("").unwrap(), Parts::default());
    // A rule across the page is no block.
    let rule = "---\nWords with a rule above.\n---\nMore.";
    assert_eq!(split(rule).unwrap().content, rule);
    assert_eq!(split("---\nnever: closed").unwrap().content, "---\nnever: closed");
}

#[test]
fn dashes_work_too() {
    let parts = split("\u{feff}---\r\n# a comment\r\nDanger: safe\r\ncondition: words(\"a\")\r\nname: \"x\"\r\n---\r\nWords\r\n").unwrap();
    assert_eq!(keys(&parts), [("danger", "safe"), ("condition", "words(\"a\")"), ("name", "x")]);
    assert_eq!(parts.content, "Words");
}

/// HERO-86
#[test]
fn hostile_blocks_are_refused_with_their_line() {
    let open = |body: &str| split(&format!("\"\"\"\n# properties\n{body}\n\"\"\"\nWords"));
    assert_eq!(split("\"\"\"\nnever closed").unwrap_err().line, 1);
    assert_eq!(open("no colon").unwrap_err().line, 3);
    assert_eq!(open("a: 1\nb: 2\na: 3").unwrap_err().line, 5);
    assert!(open("a: 1\nb: 2").is_ok(), "the control");
    let many: String = (0..100).map(|number| format!("key{number}: x\n")).collect();
    assert!(open(&many).unwrap_err().problem.contains("at most"));
    assert_eq!(open(&"x: y\n".repeat(3)).unwrap_err().line, 4);
    assert_eq!(split(&format!("\"\"\"\n{}", "line\n".repeat(100_000))).unwrap_err().line, 1);
    assert!(open(&format!("{}: x", "k".repeat(1_000))).is_err());
    assert!(open("a b: x").is_err());
}

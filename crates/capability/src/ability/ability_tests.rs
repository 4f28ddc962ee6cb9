use super::*;
use domain::AbilityKind;

fn process(name: &str) -> AbilityText {
    AbilityText { name: name.to_owned(), content: "Words.".to_owned(), ..AbilityText::default() }
}

fn problem(text: AbilityText) -> String {
    check(&text).unwrap_err().to_string()
}

/// HERO-87
#[test]
fn names_are_ids_and_the_house_has_its_own() {
    for good in ["a", "weekly_report", "a1_"] {
        assert_eq!(check(&process(good)), Ok(()), "{good}");
    }
    for bad in ["", "A", "1a", "a-b", "a b", "ä", "a\n", &"a".repeat(61)] {
        assert_eq!(check(&process(bad)), Err(AbilityError::Name), "{bad:?}");
    }
    for reserved in ["_a", "_onstart_x", "__onstart_"] {
        assert_eq!(check(&process(reserved)), Err(AbilityError::Reserved));
    }
    assert!(problem(process("_x")).contains("reserved"));
}

/// HERO-87
#[test]
fn what_is_wrong_is_said_where_it_is() {
    let conditional = AbilityText { kind: AbilityKind::Conditional, ..process("x") };
    let with = |condition: &str| AbilityText { condition: Some(condition.to_owned()), ..conditional.clone() };
    assert_eq!(check(&with("words('a')")), Ok(()));
    assert!(problem(with("words('a') and nonsense")).contains("character 16"));
    assert!(problem(conditional.clone()).contains("needs one"));
    assert!(
        problem(AbilityText { condition: Some("true".to_owned()), ..process("x") })
            .contains("cannot be used in a process")
    );
    assert!(problem(AbilityText { startup: true, ..with("true") }).contains("startup"));
    assert!(problem(AbilityText { content: "a\n{{".to_owned(), ..process("x") }).contains("line 2"));
    assert!(problem(AbilityText { content: " \n".to_owned(), ..process("x") }).contains("is empty"));
    assert!(problem(AbilityText { description: "x".repeat(1_001), ..process("x") }).contains("at most 1000"));
    assert!(
        problem(AbilityText { category: Some("a\u{7}".to_owned()), ..process("x") }).contains("category")
    );
    let tags = |tags: &[&str]| AbilityText {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..process("x")
    };
    assert_eq!(check(&tags(&["a", "b c"])), Ok(()));
    for bad in [&["a,b"][..], &[""], &[" a"], &["x"; 21]] {
        assert_eq!(check(&tags(bad)), Err(AbilityError::Tags));
    }
}

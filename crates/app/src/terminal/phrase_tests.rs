use super::*;

#[test]
fn a_sentence_has_a_capital_and_a_full_stop_once() {
    assert_eq!(sentence("the disk is full"), "The disk is full.");
    assert_eq!(sentence("The disk is full."), "The disk is full.");
    assert_eq!(sentence("did you mean `bind`?"), "Did you mean `bind`?");
    assert_eq!(sentence("server.bind must be an address"), "server.bind must be an address.");
    assert_eq!(sentence("/data cannot be read"), "/data cannot be read.");
    assert_eq!(sentence("`x` is taken"), "`x` is taken.");
    assert_eq!(sentence("butler wants to use x"), "butler wants to use x.", "a name keeps its letters");
    assert_eq!(sentence(""), "");
}

#[test]
fn a_moment_names_its_zone() {
    let words = moment(Timestamp::from_millis(1_794_729_600_123));
    assert!(words.starts_with("2026-11-1") && words.contains("(UTC"), "{words}");
    assert!(!words.contains('Z') && !words.contains(".123"), "{words}");
}

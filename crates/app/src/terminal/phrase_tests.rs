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
    let words = moment_in_zone(Timestamp::from_millis(1_794_729_600_123));
    assert!(words.starts_with("2026-11-1") && words.contains("(UTC"), "{words}");
    assert!(!words.contains('Z') && !words.contains(".123"), "{words}");
}

#[test]
fn a_moment_is_said_as_people_say_it() {
    let time = |text: &str| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
    let said = |text: &str| in_words(time(text), time("2026-11-16 23:59"));
    assert_eq!(said("2026-11-16 14:05"), "today 14:05");
    assert_eq!(said("2026-11-17 00:00"), "tomorrow 00:00");
    assert_eq!(said("2026-11-15 23:58"), "yesterday 23:58");
    assert_eq!(said("2026-11-12 09:10"), "Thursday 12 November 09:10");
    assert_eq!(said("2026-03-01 09:10"), "1 March 09:10");
    assert_eq!(said("2027-01-01 00:00"), "1 January 2027 00:00");
    assert_eq!(shown_moment("never"), "never");
}

use super::ExportWords;
use domain::{Allowance, Timestamp, User, UserId, UserRole};

fn words(language: &str, time_zone: &str) -> ExportWords {
    ExportWords::of(&User {
        id: UserId::from_uuid(uuid::Uuid::nil()),
        name: "ada".to_owned(),
        role: UserRole::Member,
        time_zone: time_zone.to_owned(),
        language: language.to_owned(),
        budget: Allowance::default(),
        about_me: String::new(),
        created_at: Timestamp::from_millis(0),
    })
}

#[test]
fn a_moment_is_told_as_its_person_reads_clocks() {
    // The last second of 2025 in UTC.
    let at = Timestamp::from_millis(1_767_225_599_000);
    assert_eq!(words("en-GB", "UTC").moment(at), "31 December 2025, 23:59");
    assert_eq!(words("de-AT", "Europe/Vienna").moment(at), "1. Januar 2026, 00:59");
    assert_eq!(words("fr", "nowhere").moment(at), "31 December 2025, 23:59", "what is not known");
}

#[test]
fn the_labels_are_in_the_language_of_the_person() {
    let german = words("de", "UTC");
    assert_eq!((german.conversation(), german.you(), german.agent()), ("Unterhaltung", "Sie", "Agent"));
    assert_eq!(
        german.attached(&["a.pdf".to_owned(), "b.png".to_owned()]).unwrap(),
        "Angehängt: a.pdf, b.png"
    );
    assert_eq!(german.attached(&[]), None);
    assert_eq!(words("den", "UTC").you(), "You", "another language that begins like it");
}

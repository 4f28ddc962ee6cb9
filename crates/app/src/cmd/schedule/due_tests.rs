use super::*;

fn given() -> WhenArguments {
    WhenArguments { at: None, on: None, every: None, once: None, cron: None, zone: None }
}

fn at(time: &str, on: Option<&str>) -> WhenArguments {
    WhenArguments { at: Some(time.to_owned()), on: on.map(str::to_owned), ..given() }
}

fn once(time: &str, zone: Option<&str>) -> WhenArguments {
    WhenArguments { once: Some(time.to_owned()), zone: zone.map(str::to_owned), ..given() }
}

fn millis(when: &WhenArguments) -> i64 {
    match read_when(when, "Europe/Athens").unwrap() {
        When::Once { at } => at.as_millis(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_time_of_the_day_becomes_a_pattern() {
    for (time, on, pattern) in [
        ("08:00", None, "0 8 * * *"),
        ("7:05", Some("weekdays"), "5 7 * * 1-5"),
        ("23:59", Some("weekend"), "59 23 * * 0,6"),
        ("17:30", Some("Fri, sunday"), "30 17 * * 5,0"),
    ] {
        let expected = When::Cron { pattern: pattern.to_owned(), zone: None };
        assert_eq!(read_when(&at(time, on), "UTC").unwrap(), expected, "{time} {on:?}");
    }
    for (time, on) in
        [("24:00", None), ("8", None), ("", None), ("08:00", Some("fr")), ("08:00", Some("mon,"))]
    {
        assert!(read_when(&at(time, on), "UTC").is_err(), "{time} {on:?}");
    }
}

#[test]
fn a_duration_has_a_unit() {
    for (words, length) in [("30m", 1_800), ("6h", 21_600), ("2d", 172_800), ("90 min", 5_400)] {
        assert_eq!(seconds(words).unwrap(), length, "{words}");
    }
    for words in
        ["", "6", "h", "0h", "1.5h", "-1h", "6 parsecs", "99999999999999999999d", "9999999999999999999d"]
    {
        assert!(seconds(words).is_err(), "{words}");
    }
}

#[test]
fn a_moment_is_what_the_clock_of_the_place_shows() {
    let utc = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
    for (words, zone, moment) in [
        ("2026-12-24 18:00", None, "2026-12-24T16:00:00Z"),
        ("2026-12-24T18:00", Some("Asia/Tokyo"), "2026-12-24T09:00:00Z"),
        ("2026-12-24T18:00:00+05:30", Some("Asia/Tokyo"), "2026-12-24T12:30:00Z"),
        // Put forward past it: right after the gap. Shown twice: the first.
        ("2026-03-29 03:30", None, "2026-03-29T01:00:00Z"),
        ("2026-10-25 03:30", None, "2026-10-25T00:30:00Z"),
    ] {
        assert_eq!(millis(&once(words, zone)), utc(moment), "{words} {zone:?}");
    }
    for words in ["tomorrow", "2026-12-24", "2026-02-30 10:00", "18:00"] {
        assert!(read_when(&once(words, None), "UTC").is_err(), "{words}");
    }
    assert!(read_when(&once("2026-12-24 18:00", Some("Mars/Olympus")), "UTC").is_err());
}

#[test]
fn a_due_time_is_told_with_its_place() {
    assert_eq!(due_words("2026-12-24T16:00:00Z", "Europe/Athens"), "Thu 24 Dec 2026 18:00 (Europe/Athens)");
    assert_eq!(due_words("whenever", "Europe/Athens"), "whenever");
}

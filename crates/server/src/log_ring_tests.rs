use super::*;
use serde_json::json;

fn line(level: Level) -> LogLine {
    LogLine {
        number: 0,
        at: Timestamp::from_millis(0),
        level,
        target: "engine",
        message: "something".into(),
        fields: serde_json::value::to_raw_value(&json!({ "turn": "turn_1" })).unwrap(),
    }
}

#[test]
fn only_the_last_lines_are_kept() {
    let ring = LogRing::default();
    (0..LINES + 10).for_each(|_| ring.push(line(Level::Info)));
    let (lines, total) = ring.read(Level::Info, None, LINES * 2);
    assert_eq!((lines.len(), total), (LINES, LINES as u64));
    assert_eq!((lines[0].number, lines[LINES - 1].number), (11, LINES as u64 + 10));
}

#[test]
fn lines_are_found_by_level_and_number() {
    let ring = LogRing::default();
    for level in [Level::Info, Level::Error, Level::Warn, Level::Info] {
        ring.push(line(level));
    }
    let numbers = |level, after, limit| {
        ring.read(level, after, limit).0.iter().map(|line| line.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(Level::Info, None, 2), [3, 4], "the newest");
    assert_eq!(numbers(Level::Warn, None, 10), [2, 3]);
    assert_eq!(numbers(Level::Error, None, 10), [2]);
    assert_eq!(numbers(Level::Info, Some(1), 2), [2, 3], "what follows");
}

#[test]
fn a_line_is_small_and_is_sent_with_its_fields() {
    assert!(size_of::<LogLine>() <= 72, "{}", size_of::<LogLine>());
    let sent = serde_json::to_value(line(Level::Warn)).unwrap();
    let expected = json!({
        "number": 0, "at": "1970-01-01T00:00:00.000Z", "level": "warn", "target": "engine",
        "message": "something", "fields": { "turn": "turn_1" },
    });
    assert_eq!(sent, expected);
}

use super::*;

#[test]
fn times_as_people_write_them() {
    let known = [
        ("90s", 90),
        ("15m", 900),
        ("24h", 86_400),
        ("30d", 2_592_000),
        ("2w", 1_209_600),
        ("1h30m", 5_400),
        (" 1d ", 86_400),
        ("0s", 0),
    ];
    for (text, seconds) in known {
        assert_eq!(parse_duration(text), Some(Duration::from_secs(seconds)), "{text}");
    }
}

#[test]
fn anything_else_is_none() {
    let long = "9".repeat(30) + "s";
    for text in
        ["", " ", "5", "h", "-5m", "5 m", "1y", "5mm", "1.5h", "18446744073709551615w", "é", "5é", &long]
    {
        assert_eq!(parse_duration(text), None, "{text}");
    }
}

#[test]
fn a_time_is_shown_as_it_could_be_written() {
    for text in ["0s", "90s", "15m", "5h", "1d", "30d", "2w"] {
        assert_eq!(parse_duration(text).map(shown_duration).as_deref(), Some(text));
    }
    assert_eq!(shown_duration(Duration::from_secs(86_400)), "1d");
}

use super::*;

fn formats(codes: &[&str]) -> Formats {
    let own: String = (0..)
        .zip(codes)
        .map(|(id, code)| format!("<numFmt numFmtId='{}' formatCode='{code}'/>", 200 + id))
        .collect();
    let used: String = (0..codes.len()).map(|id| format!("<xf numFmtId='{}'/>", 200 + id)).collect();
    let xml = format!(
        "<styleSheet><numFmts>{own}</numFmts><cellXfs>{used}<xf numFmtId='14'/></cellXfs></styleSheet>"
    );
    Formats::read(&xml, "", &mut Remaining::new(&crate::Limits::default()))
}

#[test]
fn numbers_are_shown_as_people_see_them() {
    let formats = formats(&[
        "General",
        "0.0%",
        "dd.mm.yyyy",
        "yyyy-mm-dd hh:mm",
        "[h]:mm:ss",
        "&quot;day&quot; 0",
        "0.00",
    ]);
    for (value, style, shown) in [
        ("0.30000000000000004", 0, "0.3"),
        ("1200", 0, "1200"),
        ("-5.25", 6, "-5.25"),
        ("0.19", 1, "19%"),
        ("45352", 2, "2024-03-01"),
        ("45351", 7, "2024-02-29"),
        ("1", 2, "1900-01-01"),
        ("45352.5", 3, "2024-03-01 12:00:00"),
        ("0.25", 4, "06:00:00"),
        ("3", 5, "3"),
        ("x", 0, "x"),
        ("1e300", 2, "1"),
    ] {
        assert!(formats.shown(value, style).starts_with(shown), "{value}: {}", formats.shown(value, style));
    }
    assert_eq!(formats.shown("7", 99), "7");
}

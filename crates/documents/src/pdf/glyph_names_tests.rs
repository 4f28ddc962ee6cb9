use super::*;

#[test]
fn names_are_signs() {
    for (name, expected) in [
        ("A", Some("A")),
        ("adieresis", Some("ä")),
        ("germandbls", Some("ß")),
        ("Euro", Some("€")),
        ("afii10017", Some("А")),
        ("uni20AC", Some("€")),
        ("u1F600", Some("😀")),
        ("a.sc", Some("a")),
        ("f_f_i", Some("ffi")),
        ("zero", Some("0")),
        ("zukatakana", None),
        ("g123", None),
        (".notdef", None),
    ] {
        assert_eq!(sign(name.as_bytes()).as_deref(), expected, "{name}");
    }
    let names: Vec<&str> = LIST.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.is_sorted() && names.len() > 2_000);
}

#[test]
fn encodings_have_their_signs() {
    let of = |name: Option<&str>, code: u8| base(name.map(str::as_bytes))(code);
    assert_eq!(of(Some("WinAnsiEncoding"), 0xe4), Some('ä'));
    assert_eq!(of(Some("MacRomanEncoding"), 0x8a), Some('ä'));
    assert_eq!(
        (of(None, b'A'), of(None, 0x27), of(None, 0xfb), of(None, 0xae)),
        (Some('A'), Some('’'), Some('ß'), Some('ﬁ'))
    );
    assert_eq!(of(None, 0xb1), Some('–'));
}

use super::*;

#[test]
fn encodings_are_told() {
    for (bytes, text) in [
        ("größe".as_bytes(), "größe"),
        (b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe", "größe"),
        (b"gr\xf6\xdfe \x80 \x93x\x94", "größe € “x”"),
        (b"\xff\xfeg\0r\0\xf6\0", "grö"),
        (b"\xfe\xff\0g\0r\0\xf6", "grö"),
    ] {
        assert!(is_text(bytes), "{bytes:?}");
        assert_eq!(decode(bytes), text);
    }
    for bytes in [b"a\0b".as_slice(), b"\xf6\x01", b"\xf6\x81", b"\xff\xfea"] {
        assert!(!is_text(bytes), "{bytes:?}");
    }
}

#[test]
fn lines_end_in_one_way_and_pages_say_their_encoding() {
    let mut remaining = Remaining::new(&crate::Limits::default());
    assert_eq!(read(b"a\r\nb\rc", &mut remaining).unwrap()[0].text, "a\nb\nc");
    let page = b"<html><meta charset=\"windows-1251\"><p>\xd1\xf2</p>";
    assert_eq!(html(page, &mut remaining).unwrap()[0].text, "Ст");
}

#[test]
fn a_long_text_is_cut_between_signs() {
    let mut remaining = Remaining::new(&crate::Limits { text: 4, ..crate::Limits::default() });
    assert_eq!(read("aöö".as_bytes(), &mut remaining).unwrap()[0].text, "aö");
    assert!(remaining.cut());
}

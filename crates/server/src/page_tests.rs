use super::*;

fn asked(name: HeaderName, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
}

#[test]
fn a_packing_is_used_only_by_whoever_understands_it() {
    for (accepted, packing, expected) in [
        ("gzip, deflate, br", "br", true),
        ("gzip;q=1.0, BR;q=0.5", "br", true),
        ("gzip, br;q=0", "br", false),
        ("brotli", "br", false),
        ("", "gzip", false),
    ] {
        assert_eq!(accepts(accepted, packing), expected, "{accepted}");
    }
}

#[test]
fn what_is_known_is_recognised_by_its_tag() {
    let plain = tag(None, &[7; 32]);
    let tag = tag(Some("br"), &[7; 32]);
    assert_eq!(tag, format!("\"{}\"", "07".repeat(16)));
    assert_ne!(plain, tag, "another form has another tag");
    assert!(is_known(&tag, &asked(header::IF_NONE_MATCH, "\"old\", W/\"07070707070707070707070707070707\"")));
    assert!(!is_known(&tag, &asked(header::IF_NONE_MATCH, "\"old\"")));
    assert!(!is_known(&tag, &HeaderMap::new()));
}

#[test]
fn only_what_a_page_is_made_of_is_given_out() {
    assert_eq!(media("assets/index-1.js"), Some("text/javascript; charset=utf-8"));
    assert_eq!(media("assets/index-1.js.br"), None);
    assert_eq!(media("secret"), None);
}

#[test]
fn who_understands_no_packing_gets_the_file_unpacked() {
    let mut packed = Vec::new();
    let mut packer = flate2::read::GzEncoder::new(&b"<p>words</p>"[..], flate2::Compression::default());
    packer.read_to_end(&mut packed).unwrap();
    assert_eq!(unpacked(&packed).as_deref(), Some(&b"<p>words</p>"[..]));
    assert_eq!(unpacked(b"no gzip"), None);
}

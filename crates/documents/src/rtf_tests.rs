use super::*;

fn text(rtf: &[u8]) -> String {
    read(rtf, &mut Remaining::new(&crate::Limits::default()))
        .map_or_else(|error| error.to_string(), |mut parts| std::mem::take(&mut parts[0].text))
}

#[test]
fn words_come_out_and_nothing_else() {
    let head = "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Times;}}{\\*\\generator Word;}{\\pict 0102}";
    for (body, expected) in [
        ("\\f0 Gr\\'fc\\'dfe\\par again}", "Grüße\nagain"),
        ("\\uc1\\u8364? 5 \\{x\\} a\\~b}", "€ 5 {x} a\u{a0}b"),
        ("\\u-10179?\\u-8704?}", "😀"),
        ("a\\cell b\\cell\\row c}", "a | b |\nc"),
        ("a\\bin3 }}}b}", "ab"),
        ("{\\fldinst HYPERLINK x}shown}", "shown"),
        ("not closed", "not closed"),
    ] {
        assert_eq!(text(format!("{head}{body}").as_bytes()), expected, "{body}");
    }
}

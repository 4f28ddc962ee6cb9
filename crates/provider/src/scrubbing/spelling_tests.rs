use super::*;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use secrecy::ExposeSecret as _;

const SECRET: &str = "sk-ü/+0123 \"4567\"";

fn all(secret: &str) -> Vec<String> {
    spellings(secret).iter().map(|text| text.expose_secret().to_owned()).collect()
}

#[test]
fn what_is_certain_of_a_secret_stands_in_every_text_in_base64_that_holds_it() {
    let known = all(SECRET);
    for before in 0..7 {
        for behind in 0..4 {
            let text = format!("{}{SECRET}{}", "\u{1}".repeat(before), "ÿ".repeat(behind));
            for encoded in [BASE64_STANDARD.encode(&text), BASE64_URL_SAFE.encode(&text)] {
                let found =
                    known.iter().filter(|spelling| encoded.contains(*spelling)).map(String::len).max();
                let least = SECRET.len() * 4 / 3 - 2;
                assert!(found.is_some_and(|found| found >= least), "{before} {behind}: {encoded}");
            }
        }
    }
}

#[test]
fn the_usual_escapes_are_known_and_each_is_there_once() {
    let known = all("sk-a/b\"cdef");
    for spelling in [
        "sk-a/b\"cdef",
        "fedc\"b/a-ks",
        r#"sk-a/b\"cdef"#,
        "736b2d612f622263646566",
        "736B2D612F622263646566",
        r"\u0073\u006b\u002d\u0061\u002f\u0062\u0022\u0063\u0064\u0065\u0066",
        "&#115;&#107;&#45;&#97;&#47;&#98;&#34;&#99;&#100;&#101;&#102;",
    ] {
        assert_eq!(known.iter().filter(|text| *text == spelling).count(), 1, "{spelling} in {known:?}");
    }
    assert!(known.len() < 60, "bounded: {}", known.len());
}

/// ATTACK: `base64 | base64`, with the lines that it makes, and `xxd -p | base64`; whatever stands before it.
#[test]
fn a_secret_in_base64_of_base64_is_known() {
    let long: String = (0..120).map(|at| char::from(b'a' + (at * 7 % 26) as u8)).collect();
    for secret in [SECRET, &format!("sk-{long}")] {
        let known = all(secret);
        let found = |encoded: &str, least: usize| {
            let longest = known.iter().filter(|spelling| encoded.contains(*spelling)).map(String::len).max();
            assert!(longest.is_some_and(|longest| longest >= least), "{longest:?} of {least}: {encoded}");
        };
        for before in 0..7 {
            let text = format!("{}{secret}!", "x".repeat(before));
            for inner in [BASE64_STANDARD.encode(&text), BASE64_URL_SAFE.encode(&text)] {
                let least = (secret.len() * 4 / 3 - 2) * 4 / 3 - 2;
                found(&BASE64_STANDARD.encode(format!("{}{inner}", " ".repeat(before % 3))), least);
                found(&BASE64_URL_SAFE.encode(&inner), least);
            }
        }
        let lines = in_lines(&BASE64_STANDARD.encode(secret));
        found(&BASE64_STANDARD.encode(format!("{lines}\n")), (secret.len() * 4 / 3 - 2) * 4 / 3 - 2);
        let digits: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        found(&BASE64_STANDARD.encode(format!("key: {digits}")), secret.len() * 2 * 4 / 3 - 3);
    }
}

use super::*;

const SECRET: &str = "abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE";

fn headers(cookies: &[&str]) -> HeaderMap {
    cookies.iter().map(|text| (header::COOKIE, HeaderValue::from_str(text).unwrap())).collect()
}

#[test]
fn a_cookie_has_every_guard_that_its_connection_allows() {
    let secure = set(SECRET, true).unwrap();
    let expected = format!("__Host-sid={SECRET}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure");
    assert_eq!(secure.to_str().unwrap(), expected);
    let plain = set(SECRET, false).unwrap();
    let expected = format!("sid={SECRET}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
    assert_eq!(plain.to_str().unwrap(), expected);
    assert_eq!(clear(true).unwrap(), "__Host-sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
}

#[test]
fn a_browser_is_known_by_a_cookie_of_its_own() {
    let secure = set_browser(SECRET, true).unwrap();
    let expected =
        format!("__Host-browser={SECRET}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict; Secure");
    assert_eq!(secure.to_str().unwrap(), expected);
    let both = headers(&[&format!("browser={SECRET}x; __Host-browser={SECRET}")]);
    assert_eq!((read_browser(&both, true), read(&both, true)), (Some(SECRET), None));
}

#[test]
fn only_the_name_of_the_connection_is_read() {
    let both = headers(&[&format!("a=b; sid={SECRET}x; theme=dark; __Host-sid={SECRET}")]);
    assert_eq!(read(&both, true), Some(SECRET));
    assert_eq!(read(&both, false), Some(format!("{SECRET}x").as_str()));
    // What another host or a plain connection can plant does not count where it is encrypted.
    assert_eq!(read(&headers(&[&format!("sid={SECRET}")]), true), None);
}

#[test]
fn a_cookie_that_is_doubled_or_odd_is_none() {
    let twice = format!("sid={SECRET}; sid={SECRET}");
    let (one, quoted) = (format!("sid={SECRET}"), format!("sid=\"{SECRET}\""));
    let long = format!("sid={}", "a".repeat(129));
    let cases: [&[&str]; 8] =
        [&[], &["sid="], &["sid"], &["sid=short"], &[&twice], &[&one, &one], &[&quoted], &[&long]];
    for case in cases {
        assert_eq!(read(&headers(case), false), None, "{case:?}");
    }
}

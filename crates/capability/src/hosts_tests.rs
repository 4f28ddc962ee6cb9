use super::*;

#[test]
fn a_name_is_itself_and_a_star_is_what_is_below() {
    let listed = |patterns: &[&str], url: &str| {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        host_of(url).is_some_and(|host| lists(&patterns, &host))
    };
    assert!(listed(&["example.com"], "https://example.com/x"));
    assert!(listed(&["Example.COM"], "http://EXAMPLE.com.:8080/"));
    assert!(listed(&["*.example.com"], "https://a.b.example.com"));
    for (pattern, url) in [
        ("example.com", "https://www.example.com"),
        ("example.com", "https://example.com.evil.net"),
        ("example.com", "https://evil.net/example.com"),
        ("example.com", "https://evil.net\\@example.com"),
        ("*.example.com", "https://example.com"),
        ("*.example.com", "https://evilexample.com"),
        ("example.com", "ftp://example.com"),
        ("example.com", "example.com"),
        ("", "https://example.com"),
    ] {
        assert!(!listed(&[pattern], url), "{pattern:?} lists {url}");
    }
}

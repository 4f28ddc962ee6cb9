use super::*;

fn pattern(text: &str) -> HostPattern {
    text.parse().unwrap()
}

#[test]
fn exact_and_below() {
    assert!(pattern("Example.COM").matches("example.com."));
    assert!(!pattern("example.com").matches("www.example.com"));
    assert!(pattern("*.example.com").matches("a.b.Example.com"));
    assert!(!pattern("*.example.com").matches("example.com"));
    assert!(!pattern("*.example.com").matches("badexample.com"));
    assert!(!pattern("*.example.com").matches(".example.com"));
    assert!(pattern("127.1").matches("127.0.0.1"), "a literal is compared as it is connected to");
    assert!(pattern("[::1]").matches("[::1]"));
    assert!(pattern("bücher.example.org").matches("xn--bcher-kva.example.org"));
}

#[test]
fn what_is_not_a_host_is_refused() {
    for text in [
        "",
        "*",
        "*.",
        "*.*.com",
        "a/b",
        "http://a.com",
        "a b",
        "u@h.com",
        "*.127.0.0.1",
        "a.com:80",
        "%61.com",
        "a,b",
    ] {
        assert!(text.parse::<HostPattern>().is_err(), "{text}");
    }
}

#[test]
fn deny_wins() {
    let list = HostList {
        allow: Some(vec![pattern("*.example.com"), pattern("example.com")]),
        deny: vec![pattern("secret.example.com")],
    };
    assert_eq!(list.check("www.example.com"), Ok(()));
    assert_eq!(list.check("secret.example.com."), Err(Refusal::Denied("secret.example.com.".into())));
    assert_eq!(list.check("example.org"), Err(Refusal::NotListed("example.org".into())));
    assert_eq!(HostList::default().check("example.org"), Ok(()));
}

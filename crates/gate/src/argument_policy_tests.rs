use super::*;
use serde_json::json;

fn refused(kind: ArgumentKind, value: Value) -> bool {
    check(&[("x", kind)], &json!({ "x": value })).is_err()
}

#[test]
fn an_address_has_one_plain_form() {
    for good in
        ["https://example.org", "http://example.org:8080/a?b=c#d", "https://[2001:db8::1]/x", "https://a/"]
    {
        assert!(!refused(ArgumentKind::Url, json!(good)), "{good}");
    }
    for bad in [
        "",
        "example.org",
        "file:///etc/passwd",
        "ftp://example.org/",
        "https://",
        "https:///path",
        "https://user@example.org/",
        "https://good.org\\@evil.org/",
        "https://good.org%2eevil.org/",
        "https://example.org/a b",
        "https://example.org/\n",
        " https://example.org/",
        "HTTPS://example.org/",
        "https://ex\u{430}mple.org/",
        "https://example.org/\u{202e}",
    ] {
        assert!(refused(ArgumentKind::Url, json!(bad)), "{bad:?}");
    }
}

#[test]
fn a_path_stays_among_the_files_of_the_session() {
    assert!(!refused(ArgumentKind::Path, json!("/notes/today.md")));
    for bad in ["notes", "/../etc/passwd", "/a//b", "/a/\u{2024}\u{2024}/b", "/a\0", "/%2e%2e/x"] {
        assert!(refused(ArgumentKind::Path, json!(bad)), "{bad:?}");
    }
}

#[test]
fn commands_statements_and_recipients() {
    assert!(!refused(ArgumentKind::Command, json!("ls | wc -l")));
    assert!(refused(ArgumentKind::Command, json!("  ")));
    assert!(refused(ArgumentKind::Command, json!("ls\0")));
    assert!(refused(ArgumentKind::Command, json!("x".repeat(70_000))));
    assert!(refused(ArgumentKind::Sql, json!("")));
    assert!(!refused(ArgumentKind::Recipient, json!("+30 210 123")));
    assert!(refused(ArgumentKind::Recipient, json!("a\nb")));
    assert!(refused(ArgumentKind::Recipient, json!(["a", " b"])), "each of a list");
    assert!(!refused(ArgumentKind::Recipient, json!(7)), "what is no text is for the schema to say");
}

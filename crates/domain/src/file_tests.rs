use super::*;

fn path(text: &str) -> FilePath {
    text.parse().unwrap()
}

#[test]
fn a_path_has_one_spelling() {
    for text in ["/", "/a", "/a/b.txt", "/Ünïcode/文.md", "/a b/c", "/...x", "/.hidden", "/%2e%2ex", "/a:b"]
    {
        assert_eq!(path(text).as_str(), text);
    }
    assert_eq!(path("/a/").as_str(), "/a", "the mark of a folder");
    let json = serde_json::to_value(path("/a/b")).unwrap();
    assert_eq!(json, "/a/b");
    assert!(serde_json::from_value::<FilePath>("a".into()).is_err());
}

/// EVERRUNS-09: what is no path.
#[test]
fn what_leads_elsewhere_is_refused() {
    use FilePathError::{BadCharacter, Dots, EmptyStep, NotAbsolute, TooLong};
    let cases = [
        ("", NotAbsolute),
        ("a", NotAbsolute),
        ("../a", NotAbsolute),
        ("C:\\x", NotAbsolute),
        ("//", EmptyStep),
        ("//a", EmptyStep),
        ("/a//b", EmptyStep),
        ("/a//", EmptyStep),
        ("/..", Dots),
        ("/.", Dots),
        ("/a/../b", Dots),
        ("/a/./b", Dots),
        ("/...", Dots),
        ("/%2e%2e/x", Dots),
        ("/%2E./x", Dots),
        ("/\u{ff0e}\u{ff0e}/x", Dots),
        ("/\u{2024}\u{2024}", Dots),
        ("/a\\..\\b", BadCharacter),
        ("/a\0b", BadCharacter),
        ("/a\nb", BadCharacter),
        ("/a\u{202e}b", BadCharacter),
        ("/a ", BadCharacter),
        ("/a /b", BadCharacter),
        ("/\u{7f}", BadCharacter),
    ];
    for (text, error) in cases {
        assert_eq!(text.parse::<FilePath>(), Err(error), "{text:?}");
    }
    assert_eq!(format!("/{}", "x".repeat(256)).parse::<FilePath>(), Err(TooLong));
    assert_eq!("/x".repeat(33).parse::<FilePath>(), Err(TooLong));
    assert_eq!(format!("/{}", "x/".repeat(600_000)).parse::<FilePath>(), Err(TooLong));
    assert!(format!("/{}", "x".repeat(255)).parse::<FilePath>().is_ok());
    assert!("/x".repeat(32).parse::<FilePath>().is_ok());
}

#[test]
fn a_path_knows_its_folders() {
    let deep = path("/a/b/c.txt");
    assert_eq!(deep.name(), "c.txt");
    assert_eq!(deep.parent(), Some(path("/a/b")));
    assert_eq!(deep.folders(), [path("/a"), path("/a/b")]);
    assert_eq!(path("/a").parent(), Some(FilePath::root()));
    assert_eq!(path("/a").folders(), []);
    assert_eq!(FilePath::root().parent(), None);
    assert_eq!(FilePath::root().name(), "");
}

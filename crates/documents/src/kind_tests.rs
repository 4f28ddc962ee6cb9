use super::*;

#[test]
fn texts_are_told_apart_by_their_names_and_nothing_else_is() {
    for (bytes, name, expected) in [
        (b"words".as_slice(), "a.txt", Some(DocumentKind::Text)),
        (b"words", "", Some(DocumentKind::Text)),
        (b"fn main() {}", "main.rs", Some(DocumentKind::Code)),
        (b"# Title", "a.MD", Some(DocumentKind::Markdown)),
        (b"a,b", "a.csv", Some(DocumentKind::Csv)),
        (b"{}", "a.json", Some(DocumentKind::Json)),
        (b"<!DOCTYPE html><p>x", "page", Some(DocumentKind::Html)),
        (b"%PDF-1.4", "a.txt", Some(DocumentKind::Pdf)),
        (b"the mark of a PDF is %PDF-1.4", "a.txt", Some(DocumentKind::Text)),
        (b"{\\rtf1 x}", "a.txt", Some(DocumentKind::Rtf)),
        (b"PK\x03\x04", "a.docx", None),
        (b"a\0b", "a.txt", None),
        (b"\x89PNG\r\n\x1a\n", "a.txt", None),
        (b"", "a.txt", Some(DocumentKind::Text)),
    ] {
        assert_eq!(kind(bytes, name), expected, "{name}: {bytes:?}");
    }
}

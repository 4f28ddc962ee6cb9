use super::*;
use crate::{DocumentKind, Limits};

fn made(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/made/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn entries_are_found_and_counted() {
    let bytes = made("german-pandoc.docx");
    let archive = ZipFile::open(&bytes).unwrap();
    assert!(archive.has("word/document.xml") && !archive.has("word/nothing.xml"));
    let mut remaining = Remaining::new(&Limits::default());
    let before = remaining.room();
    let text = archive.text("word/document.xml", &mut remaining).unwrap();
    assert!(text.starts_with("<?xml"));
    assert!(remaining.room() <= before);
    assert_eq!(archive.text("no", &mut remaining), Err(EntryError::Missing));
    let mut small = Remaining::new(&Limits { entry: 10, ..Limits::default() });
    assert_eq!(archive.text("word/document.xml", &mut small), Err(EntryError::TooMuch));
    assert_eq!(EntryError::Locked.of(DocumentKind::Word), Unreadable::Locked(DocumentKind::Word));
}

#[test]
fn what_is_no_archive_is_none() {
    for bytes in [
        b"".as_slice(),
        b"PK",
        b"PK\x05\x06",
        &[b'P'; 100_000],
        b"PK\x05\x06\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0",
    ] {
        assert!(ZipFile::open(bytes).is_none());
    }
}

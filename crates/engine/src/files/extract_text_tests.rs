use super::*;

#[test]
fn a_text_is_kept_in_pieces_with_its_parts() {
    let page = |number: usize| documents::DocumentPart {
        title: Some(format!("Page {number}")),
        text: "größe ".repeat(60_000),
    };
    let document = Document { kind: DocumentKind::Pdf, parts: vec![page(1), page(2)], cut: false };
    let kept = kept(&document).unwrap();
    assert_eq!((kept.told.parts, kept.told.noun.as_str()), (2, "PDF"));
    let outline: TextOutline = serde_json::from_slice(&kept.pieces[0]).unwrap();
    let text = String::from_utf8(kept.pieces[1..].concat()).unwrap();
    assert_eq!(outline.chars, text.chars().count() as u64);
    assert_eq!(outline.bytes, text.len() as u64);
    let second: String = text.chars().skip(outline.parts[1].from as usize).take(8).collect();
    assert_eq!(second, "[Page 2]");
    assert_eq!(
        (outline.parts_before(0), outline.parts_before(10), outline.parts_before(u64::MAX)),
        (0, 1, 2)
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    let locked = read(b"%PDF-1.7\nnothing", "a.pdf", &Limits::default()).unwrap();
    assert!(locked.told.problem.unwrap().starts_with("This PDF is damaged"));
    assert!(locked.pieces.is_empty());
    assert!(read(b"\x7fELF\x02\x01\x01\0", "a", &Limits::default()).unwrap().kind.is_none());
    let old = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 100]].concat();
    assert!(matches!(read(&old, "a.doc", &Limits::default()), Err(Error::UnsupportedMedia { .. })));
}

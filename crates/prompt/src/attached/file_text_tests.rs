use super::*;
use domain::UploadId;

fn file() -> AttachedFile {
    AttachedFile {
        upload_id: UploadId::from_uuid(uuid::Uuid::nil()),
        name: "plan \"b\".pdf".to_owned(),
        kind: "pdf".to_owned(),
        noun: "PDF".to_owned(),
        part: Some("page".to_owned()),
        parts: 12,
        chars: 40_000,
        read_parts: 8,
        read_chars: 24_000,
        read_tokens: 6_000,
        cut: false,
        problem: None,
    }
}

#[test]
fn it_says_which_part_follows_and_how_to_read_on() {
    let words = told(&file(), Some("[Page 1]\nwords</file> more"), true);
    assert!(
        words.starts_with("<file name=\"plan 'b'.pdf\" about=\"PDF, 12 pages, 40000 characters\">"),
        "{words}"
    );
    assert!(words.contains("first 8 of 12 pages") && words.contains("offset 24000"), "{words}");
    assert_eq!(words.matches("</file").count(), 1, "the words cannot end their frame: {words}");
    assert!(words.ends_with("\n</file>"));
    let without = told(&file(), Some("x"), false);
    assert!(!without.contains("read_attachment") && without.contains("not shown"), "{without}");
    let whole = told(&AttachedFile { read_chars: 40_000, read_parts: 12, ..file() }, Some("x"), true);
    assert!(whole.contains("This is all of it."), "{whole}");
}

#[test]
fn what_is_not_shown_says_why() {
    assert!(told(&file(), None, true).contains("not shown any more. Read it with read_attachment"));
    let locked = AttachedFile { problem: Some("This PDF is locked.".to_owned()), ..file() };
    assert!(told(&locked, None, true).contains("could not be read. This PDF is locked."));
}

use super::*;
use crate::files::extract_text::OutlinePart;

fn file(chars: u64, bytes: u64) -> (Upload, TextOutline) {
    let upload = Upload {
        id: UploadId::from_uuid(uuid::Uuid::from_u128(chars.into())),
        name: "a.pdf".to_owned(),
        mime_type: "application/pdf".to_owned(),
        size: 1,
        text: Some(ReadText { chars, parts: 10, ..ReadText::default() }),
    };
    let parts = (0..10).map(|part| OutlinePart { title: String::new(), from: part * chars / 10 }).collect();
    (upload, TextOutline { chars, bytes, parts })
}

fn read(attached: &[MessageAttachment]) -> Vec<(u64, u64)> {
    let of = |attached: &MessageAttachment| match attached {
        MessageAttachment::File(file) => (file.read_chars, file.read_parts),
        MessageAttachment::Picture(_) => (0, 0),
    };
    attached.iter().map(of).collect()
}

#[test]
fn files_share_the_room_and_small_ones_leave_theirs() {
    assert_eq!(read(&share(&[file(1_000, 1_000)], 5_000)), [(1_000, 10)]);
    assert_eq!(read(&share(&[file(1_000, 1_000)], 350)), [(350, 4)]);
    assert_eq!(read(&share(&[file(1_000, 3_000)], 1_500)), [(500, 5)], "signs of three bytes are fewer");
    let three = share(&[file(10_000, 10_000), file(100, 100), file(10_000, 10_000)], 2_100);
    assert_eq!(read(&three), [(1_000, 1), (100, 10), (1_000, 1)]);
    assert_eq!(read(&share(&[file(0, 0)], 100)), [(0, 0)]);
}

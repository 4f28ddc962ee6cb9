use super::*;

#[test]
fn each_filter_is_undone() {
    assert_eq!(ascii_hex(b"48 65 6C6c 6F7>xx"), b"Hellop");
    assert_eq!(ascii_85(b"87cURD]i,\"Ebo80~>"), b"Hello World!");
    assert_eq!(ascii_85(b"z~>"), [0; 4]);
    assert_eq!(run_length(b"\x02abc\xfed\x80rest", 100).unwrap(), b"abcddd");
    assert_eq!(run_length(b"\x81x", 100), None, "more than there is room for");
    // The example of the standard.
    assert_eq!(
        lzw(&[0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01], true, 100).unwrap(),
        [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]
    );
    assert_eq!(png(&[2, 1, 2, 2, 1, 1], 1, 2), [1, 2, 2, 3]);
    assert_eq!(png(&[1, 1, 1, 4, 1, 1], 1, 2), [1, 2, 2, 3]);
}

#[test]
fn damage_gives_what_came_before_it() {
    let mut packed = Vec::new();
    let mut compress = flate2::Compress::new(flate2::Compression::fast(), true);
    packed.reserve(10_000);
    let words: String = (0..200).map(|number| format!("word {number} ")).collect();
    compress.compress_vec(words.as_bytes(), &mut packed, flate2::FlushCompress::Finish).unwrap();
    assert_eq!(flate(&packed, 10_000).unwrap(), words.as_bytes());
    assert_eq!(flate(&packed, 100), None);
    packed.truncate(packed.len() / 2);
    let half = flate(&packed, 10_000).unwrap();
    assert!(!half.is_empty() && words.as_bytes().starts_with(&half));
}

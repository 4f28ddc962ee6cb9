use super::*;

const KEY: &str = "sk-0123456789";
/// More than is said here.
const MOST: usize = 1_000;

fn said(voice: &mut LiveOutput, stream: Stream, bytes: &[u8]) -> String {
    voice.text(&Piece { stream, bytes: bytes.to_vec() })
}

#[test]
fn characters_are_told_when_they_are_whole() {
    let mut voice = LiveOutput::new(|| Scrubber::new([]), MOST);
    assert_eq!(said(&mut voice, Stream::Output, b"a\xc3"), "a");
    assert_eq!(said(&mut voice, Stream::Errors, b"b"), "b");
    assert_eq!(said(&mut voice, Stream::Output, b"\xbc\xff\xc3"), "ü\u{fffd}\u{fffd}");
    assert_eq!(said(&mut voice, Stream::Output, b"\xe2\x82"), "");
    assert_eq!(said(&mut voice, Stream::Output, b"\xac"), "€");
    assert_eq!(said(&mut voice, Stream::Output, b"\xe2\x82"), "");
    assert_eq!(voice.rest(), "\u{fffd}", "what stayed half is told as that");
}

/// The same three pieces, to these streams.
fn told(scrubber: impl Fn() -> Scrubber, streams: [Stream; 3]) -> String {
    let mut voice = LiveOutput::new(scrubber, MOST);
    let pieces = ["key: sk-0", "12345", "6789."];
    let mut told: String =
        streams.into_iter().zip(pieces).map(|(at, piece)| said(&mut voice, at, piece.as_bytes())).collect();
    told.push_str(&voice.rest());
    told
}

#[test]
fn a_secret_in_pieces_is_not_told() {
    let (out, err) = (Stream::Output, Stream::Errors);
    for streams in [[out, out, out], [out, err, err], [out, err, out]] {
        assert!(told(|| Scrubber::new([]), streams).contains(KEY), "it would have been");
        assert!(!told(|| Scrubber::new([KEY]), streams).contains(KEY), "{streams:?}");
    }
    assert_eq!(told(|| Scrubber::new([KEY]), [out, out, out]), "key: [secret].");
}

#[test]
fn what_the_other_stream_says_in_between_hides_nothing() {
    let mut voice = LiveOutput::new(|| Scrubber::new([KEY]), MOST);
    let mut told = said(&mut voice, Stream::Output, b"sk-01234");
    told.push_str(&said(&mut voice, Stream::Errors, b"(warning)"));
    told.push_str(&said(&mut voice, Stream::Output, b"56789"));
    assert_eq!(told + &voice.rest(), "(warning)[secret]");
}

#[test]
fn where_a_stream_is_cut_the_beginning_of_a_secret_is_not_told() {
    let told = |most| {
        let mut voice = LiveOutput::new(|| Scrubber::new([KEY]), most);
        let told = said(&mut voice, Stream::Output, b"key: sk-0123");
        told + &said(&mut voice, Stream::Errors, b" and no more") + &voice.rest()
    };
    assert_eq!(told(12), "key:  and no more");
    assert_eq!(told(13), "key:  and no moresk-0123", "the control: nothing more came");
}

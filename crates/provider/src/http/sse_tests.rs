use super::*;

const LIMIT: usize = 1_000;

/// Everything that comes out when the bytes are cut into pieces of `size`.
fn decoded(bytes: &[u8], size: usize) -> Vec<String> {
    let mut decoder = Decoder::new(LIMIT);
    let mut events = Vec::new();
    for piece in bytes.chunks(size) {
        decoder.push(piece).unwrap();
        events.extend(std::iter::from_fn(|| decoder.pop()));
    }
    events.extend(decoder.finish().unwrap());
    events
}

#[test]
fn the_cut_changes_nothing() {
    let stream = "\u{feff}data: one\n\n: comment\r\ndata:two\r\ndata: grüße 日本 🎈\r\n\r\nevent: ping\ndata\ndata: x\rid: 7\r\rretry: 1\n\
                  dataset: no\n\n\n\ndata:  spaced\n\n";
    let expected = ["one", "two\ngrüße 日本 🎈", "\nx", " spaced"];
    for size in 1..=stream.len() {
        assert_eq!(decoded(stream.as_bytes(), size), expected, "in pieces of {size}");
    }
}

#[test]
fn a_last_event_without_its_empty_line_is_found_at_the_end() {
    for end in ["", "\n", "\r", "\r\n"] {
        assert_eq!(decoded(format!("data: a\n\ndata: [DONE]{end}").as_bytes(), 3), ["a", "[DONE]"]);
    }
    assert!(decoded(b": only a comment", 3).is_empty());
}

#[test]
fn bytes_that_are_no_text_do_not_stop_it() {
    assert_eq!(decoded(b"data: a\xffb\n\ndata: c\n\n", 1), ["a\u{fffd}b", "c"]);
}

#[test]
fn what_has_no_end_is_refused_without_being_kept() {
    for endless in ["data: ", ": ", "x"] {
        let mut decoder = Decoder::new(LIMIT);
        decoder.push(endless.as_bytes()).unwrap();
        let refused = (0..=LIMIT).find(|_| decoder.push(b"aaaaaaa") == Err(TooLarge));
        assert!(refused.is_some_and(|pushes| pushes <= LIMIT / 7), "{endless}");
        assert!(decoder.line.len() <= LIMIT);
    }
    let mut lines = Decoder::new(LIMIT);
    let refused = (0..=LIMIT).find(|_| lines.push(b"data: aaaaaaa\n") == Err(TooLarge));
    assert!(refused.is_some_and(|pushes| pushes <= LIMIT / 7));
}

#[test]
fn each_byte_is_looked_at_once() {
    let line = format!("data: {}\n\n", "x".repeat(200_000));
    let mut decoder = Decoder::new(1_000_000);
    for byte in line.as_bytes().chunks(1) {
        decoder.push(byte).unwrap();
    }
    assert_eq!(decoder.pop().unwrap().len(), 200_000);
    assert_eq!(decoder.looked_at, line.len() as u64);
}

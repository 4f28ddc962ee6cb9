use super::*;

const STREAM: &str = "retry: 1000\n\n: heartbeat\n\nevent: text\nid: 3.0\ndata: {\"a\":\"é\"}\n\n\
                      id: 3.5\r\ndata: one\r\ndata: two\r\n\r\nid: 4.0\n\ndata:bare\n\n";

fn expected() -> Vec<SseEvent> {
    let event = |id: Option<&str>, data: &str| SseEvent { id: id.map(str::to_owned), data: data.to_owned() };
    vec![event(Some("3.0"), "{\"a\":\"é\"}"), event(Some("3.5"), "one\ntwo"), event(None, "bare")]
}

#[test]
fn the_events_are_the_same_wherever_the_bytes_are_cut() {
    for size in 1..=STREAM.len() {
        let mut decoder = Decoder::default();
        let events: Vec<SseEvent> =
            STREAM.as_bytes().chunks(size).flat_map(|chunk| decoder.push(chunk)).collect();
        assert_eq!(events, expected(), "cut every {size} bytes");
        assert_eq!(decoder.pending(), 0);
    }
}

#[test]
fn an_unfinished_event_is_none_and_is_counted() {
    let mut decoder = Decoder::default();
    assert!(decoder.push(b"data: half\ndata: mo").is_empty());
    assert_eq!(decoder.pending(), "half".len() + "data: mo".len());
    assert_eq!(decoder.push(b"re\n\n"), vec![SseEvent { id: None, data: "half\nmore".to_owned() }]);
}

#[test]
fn lone_carriage_returns_end_lines_and_bad_utf_8_does_no_harm() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push(b"data: x\r\rdata: y\r\r").len(), 2);
    let events = decoder.push(b"data: \xff\n\n");
    assert_eq!(events.first().map(|event| event.data.as_str()), Some("\u{fffd}"));
}

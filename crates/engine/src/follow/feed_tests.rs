use super::{Feed, TAIL};
use crate::follow::open_message::{Live, MessageRun, Stream};
use domain::{AgentId, AgentState, Event, EventBody, MessageId, SessionId, StopReason, Timestamp};
use uuid::Uuid;

fn event(seq: u64, body: EventBody) -> Event {
    let session_id = SessionId::from_uuid(Uuid::from_u128(1));
    Event { seq, at: Timestamp::from_millis(0), session_id, turn_id: None, body }
}

fn plain(seq: u64) -> Event {
    event(seq, EventBody::AgentStatus { state: AgentState::Working })
}

fn message() -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(2))
}

fn start(seq: u64) -> Event {
    let agent_id = AgentId::from_uuid(Uuid::from_u128(3));
    event(seq, EventBody::MessageStart { message_id: message(), agent_id, agent_name: "main".to_owned() })
}

fn complete(seq: u64) -> Event {
    event(
        seq,
        EventBody::MessageComplete {
            message_id: message(),
            content: String::new(),
            elements: Vec::new(),
            derived_from: Default::default(),
            stop_reason: StopReason::Completed,
            executed_elements: 0,
            model: None,
        },
    )
}

fn restarted(seq: u64) -> Event {
    event(seq, EventBody::MessageRestarted { message_id: message(), attempt: 2, retry: None })
}

fn seqs_after(feed: &Feed, seq: u64) -> Option<Vec<u64>> {
    feed.lock().after(seq).map(|events| events.iter().map(|recent| recent.seq).collect())
}

impl Feed {
    fn push_text(&self, text: &str) {
        self.push([Live::text(text)]);
    }
}

fn words<'a>(run: &'a MessageRun<'_>) -> &'a str {
    match run {
        MessageRun::Words(_, text) => text,
        MessageRun::Mark(_) => "",
    }
}

fn stream<'a>(run: &MessageRun<'a>) -> Option<&'a Stream> {
    match run {
        MessageRun::Words(stream, _) => Some(stream),
        MessageRun::Mark(_) => None,
    }
}

fn live(feed: &Feed) -> Option<String> {
    let state = feed.lock();
    let runs = state.open()?.between(0, u64::MAX)?;
    Some(runs.iter().map(words).collect())
}

#[test]
fn the_tail_has_the_newest_events_and_says_when_it_does_not_reach_back() {
    let feed = Feed::default();
    let many: Vec<Event> = (1..=200).map(plain).collect();
    feed.publish(&many);
    let first = 200 - TAIL as u64 + 1;
    assert_eq!(seqs_after(&feed, first - 1).unwrap(), (first..=200).collect::<Vec<_>>());
    assert_eq!(seqs_after(&feed, first - 2), None);
    assert_eq!(seqs_after(&feed, 200).unwrap(), Vec::<u64>::new());
}

#[test]
fn a_gap_is_never_papered_over() {
    let feed = Feed::default();
    feed.publish(&[plain(1), plain(2)]);
    feed.publish(&[plain(4)]);
    assert_eq!(seqs_after(&feed, 2), None);
    assert_eq!(seqs_after(&feed, 3).unwrap(), [4]);
    // The one that comes late is in the log; the tail stays without a gap.
    feed.publish(&[plain(3), plain(5)]);
    assert_eq!(seqs_after(&feed, 3).unwrap(), [4, 5]);
}

#[test]
fn a_message_is_open_also_when_its_start_comes_late() {
    let feed = Feed::default();
    feed.publish(&[plain(1)]);
    feed.publish(&[plain(3)]);
    feed.publish(&[start(2)]);
    feed.push_text("hello");
    assert_eq!(live(&feed).unwrap(), "hello");
}

#[test]
fn an_event_that_is_published_twice_takes_nothing_away() {
    let feed = Feed::default();
    feed.publish(&[start(1)]);
    feed.push_text("hello");
    feed.publish(&[start(1)]);
    assert_eq!(live(&feed).unwrap(), "hello");
    feed.publish(&[complete(2)]);
    feed.publish(&[start(1)]);
    assert_eq!(live(&feed), None);
}

#[test]
fn a_message_that_is_begun_again_is_empty_and_counts_from_there() {
    let feed = Feed::default();
    feed.publish(&[start(1)]);
    feed.push_text("lost");
    feed.publish(&[restarted(2)]);
    feed.push_text("kept");
    assert_eq!(live(&feed).unwrap(), "kept");
    assert_eq!(feed.lock().open().unwrap().since, 2);
}

#[test]
fn what_was_written_is_found_after_every_character_and_nowhere_else() {
    let feed = Feed::default();
    feed.publish(&[start(1)]);
    let thought = "ü".repeat(4_096);
    feed.push([Live::thinking(&thought)]);
    for piece in ["Gr", "üß", "e, 世", "界"] {
        feed.push_text(piece);
    }
    let whole = format!("{thought}Grüße, 世界");
    let state = feed.lock();
    let open = state.open().unwrap();
    assert_eq!(open.length(), whole.len() as u64);
    for offset in 0..=whole.len() {
        let runs = open.between(offset as u64, u64::MAX);
        match whole.get(offset..) {
            None => assert!(runs.is_none(), "offset {offset} is inside a character"),
            Some(rest) => {
                let runs = runs.unwrap();
                assert_eq!(runs.iter().map(words).collect::<String>(), rest);
                assert!(
                    runs.windows(2).all(|pair| stream(&pair[0]) != stream(&pair[1])),
                    "runs of one kind are joined"
                );
            }
        }
    }
    assert!(open.between(whole.len() as u64 + 1, u64::MAX).is_none());
}

/// What is kept for readers is bounded in bytes, too.
#[test]
fn long_events_are_read_from_the_store() {
    let feed = Feed::default();
    let long = |seq| {
        let (call_id, offset) = (domain::CallId::from_uuid(Uuid::from_u128(4)), None);
        let (name, content, order) = ("read".to_owned(), "x".repeat(400 << 10), Vec::new());
        let status = domain::ResultStatus::Ok;
        event(seq, EventBody::ToolResult { call_id, name, status, content, order, offset })
    };
    (1..=5).for_each(|seq| feed.publish(&[long(seq)]));
    assert_eq!(feed.lock().after(3).map(|events| events.len()), Some(2));
    assert!(feed.lock().after(2).is_none(), "the rest is in the store");
    feed.publish(&[plain(6)]);
    assert_eq!(feed.lock().after(3).map(|events| events.len()), Some(3));
}

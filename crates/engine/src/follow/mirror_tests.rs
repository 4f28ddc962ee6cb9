//! What becomes of pieces that another node sends, however they are cut, lost, doubled or late.

use super::*;
use crate::follow::{
    feed::Feeds,
    live_wants::RelayedPieces,
    open_message::{Mark, MessageRun},
};
use domain::{AgentId, CallId, Event, EventBody, MessageId, SessionId, StopReason, Timestamp, TurnId};
use proptest::prelude::*;
use std::sync::Arc;
use tokio::time::Instant;
use uuid::Uuid;

fn session() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(1))
}

fn message() -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(2))
}

fn event(seq: u64, body: EventBody) -> Event {
    Event { seq, at: Timestamp::from_millis(0), session_id: session(), turn_id: None, body }
}

fn start(seq: u64) -> Event {
    let agent_id = AgentId::from_uuid(Uuid::from_u128(3));
    event(seq, EventBody::MessageStart { message_id: message(), agent_id, agent_name: "main".to_owned() })
}

fn complete(seq: u64) -> Event {
    let body = EventBody::MessageComplete {
        message_id: message(),
        content: String::new(),
        elements: Vec::new(),
        derived_from: Default::default(),
        stop_reason: StopReason::Completed,
        executed_elements: 0,
        model: None,
    };
    event(seq, body)
}

fn piece(since: u64, offset: u64, text: &str) -> RelayedMessage {
    RelayedMessage { id: message(), turn: None, since, offset, live: vec![Live::text(text)] }
}

/// What readers are shown of the open message; marks are written as their kinds.
fn shown(feed: &Feed) -> Option<String> {
    let state = feed.lock();
    let run = |run: &MessageRun<'_>| match run {
        MessageRun::Words(Stream::Text, text) => text.to_string(),
        MessageRun::Words(stream, text) => format!("[{stream:?} {text}]"),
        MessageRun::Mark(mark) => format!("[{mark:?}]"),
    };
    Some(state.open()?.between(0, u64::MAX)?.iter().map(run).collect())
}

#[test]
fn a_piece_is_taken_where_it_continues() {
    let feed = Feed::default();
    feed.publish_heard(&[start(5)]);
    assert_eq!(feed.mirror(piece(5, 0, "Grü")), Mirrored::Taken);
    assert_eq!(feed.mirror(piece(5, 1, "rüße")), Mirrored::Taken, "what is known is passed over");
    assert_eq!(feed.mirror(piece(5, 0, "Gr")), Mirrored::Taken, "and so is what is known as a whole");
    assert_eq!(feed.mirror(piece(5, 99, "!")), Mirrored::Gap { since: 5, offset: 7 });
    assert_eq!(shown(&feed).as_deref(), Some("Grüße"));
}

#[test]
fn a_piece_may_come_before_the_beginning_of_its_message() {
    let feed = Feed::default();
    feed.publish_heard(&[complete(4)]);
    assert_eq!(feed.mirror(piece(5, 0, "early")), Mirrored::Taken);
    feed.publish_heard(&[start(5)]);
    assert_eq!(shown(&feed).as_deref(), Some("early"));
    feed.publish_heard(&[complete(6)]);
    assert_eq!(feed.mirror(piece(5, 5, "late")), Mirrored::Late);
    assert_eq!(shown(&feed), None);
}

#[test]
fn a_message_that_began_before_its_readers_is_looked_up_first() {
    let (over, open) = (Feed::default(), Feed::default());
    for feed in [&over, &open] {
        assert_eq!(feed.begin_at(9), None);
        assert_eq!(feed.mirror(piece(5, 0, "text")), Mirrored::Unsure { since: 5 });
    }
    over.note_closed(7);
    assert_eq!(over.mirror(piece(5, 0, "text")), Mirrored::Late);
    open.mirror_from(OpenMessage::mirror(message(), None, 5));
    assert_eq!(open.mirror(piece(5, 0, "text")), Mirrored::Taken);
    assert_eq!((shown(&over), shown(&open).as_deref()), (None, Some("text")));
}

#[test]
fn what_is_written_here_and_what_is_written_elsewhere_do_not_mix() {
    let feed = Feed::default();
    feed.publish(&[start(5)]);
    feed.push([Live::text("here")]);
    assert_eq!(feed.mirror(piece(5, 4, "there")), Mirrored::Late);
    assert_eq!(shown(&feed).as_deref(), Some("here"));
    feed.publish_heard(&[start(6)]);
    feed.push([Live::text("a worker that lost its turn")]);
    assert_eq!(feed.mirror(piece(6, 0, "there")), Mirrored::Taken);
    assert_eq!(shown(&feed).as_deref(), Some("there"));
}

/// A look at the log may find an event between its commit and its publication.
#[test]
fn what_was_found_before_it_was_shown_is_still_written_here() {
    let feed = Feed::default();
    feed.publish_heard(&[start(5)]);
    feed.publish(&[start(5)]);
    feed.push([Live::text("here")]);
    assert_eq!(shown(&feed).as_deref(), Some("here"));
    feed.publish(&[start(5)]);
    assert_eq!(shown(&feed).as_deref(), Some("here"), "shown again, it changes nothing");
}

#[test]
fn what_calls_say_is_taken_once() {
    let feed = Feed::default();
    let (call, turn) = (CallId::from_uuid(Uuid::from_u128(4)), TurnId::from_uuid(Uuid::from_u128(5)));
    let say =
        |offset, text: &str| feed.mirror_output(&OutputPiece { call, turn, offset, text: text.to_owned() });
    say(0, "one ");
    say(0, "one two ");
    say(99, "after a gap");
    say(4, "two three");
    assert_eq!(feed.output_of(call).as_deref(), Some("one two three"));
}

/// A node that writes, one that reads, and what is between them.
struct Between {
    here: Arc<Feed>,
    there: Feed,
    node: Uuid,
}

impl Between {
    fn new() -> Self {
        let feeds = Feeds::default();
        assert!(feeds.bus.set(Arc::default()).is_ok());
        let (here, there, node) = (feeds.get(session()), Feed::default(), Uuid::from_u128(9));
        here.publish(&[start(5)]);
        there.publish_heard(&[start(5)]);
        here.want(node, (0, 0), Instant::now());
        Self { here, there, node }
    }

    /// Sends what is new, so many times; what is missing is asked for.
    fn send(&self, times: usize) {
        for (_, json) in self.here.for_others() {
            for _ in 0..times {
                let RelayedPieces { message, .. } = serde_json::from_str(&json).unwrap();
                if let Mirrored::Gap { since, offset } = self.there.mirror(message.unwrap()) {
                    self.here.want(self.node, (since, offset), Instant::now());
                }
            }
        }
    }
}

fn any_live() -> impl Strategy<Value = Live> {
    let stream = prop_oneof![
        4 => Just(Stream::Text),
        1 => Just(Stream::Thinking),
        1 => Just(Stream::Element("e1".to_owned())),
    ];
    let mark = Mark::Error { id: None, kind: "image".into(), error: "none".to_owned() };
    prop_oneof![4 => (stream, ".{0,6}").prop_map(|(stream, text)| Live::Words(stream, text)), 1 => Just(Live::Mark(mark))]
}

proptest! {
    /// Whatever is lost or comes twice on the way, in the end both nodes show the same.
    #[test]
    fn the_other_node_ends_with_the_same(steps in prop::collection::vec((any_live(), 0_usize..4), 1..40)) {
        let between = Between::new();
        for (live, times) in steps {
            between.here.push([live]);
            // Three: nothing is sent yet.
            if times < 3 {
                between.send(times);
            }
        }
        between.here.begin_again();
        between.send(1);
        prop_assert_eq!(shown(&between.there), shown(&between.here));
        prop_assert_eq!(between.there.length(), between.here.length());
    }
}

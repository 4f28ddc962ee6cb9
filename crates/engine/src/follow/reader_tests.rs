//! What a reader makes of events that are published late, twice or in another order than they were committed.

use crate::follow::live_wants::RelayedMessage;
use crate::{Engine, Frame, NewPerson, NewSession, Parts, Reader, Settings, Start};
use capability::{Registry, SystemClock};
use domain::{
    AgentState, Cursor, Envelope, EnvelopeBody, Event, EventBody, LiveBody, MessageId, NodeId, SessionId,
    Source, StopReason, TurnId, TurnOutcome, Usage, UserId, UserRole,
};
use futures_util::FutureExt;
use provider::{Models, ModelsSettings};
use std::{sync::Arc, time::Duration};
use store::{
    MasterKey, Store,
    log::{self, Entry},
    sessions,
};
use tempfile::TempDir;
use uuid::Uuid;

struct Scene {
    engine: Engine,
    user: UserId,
    session: SessionId,
    _folder: TempDir,
}

fn message() -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(2))
}

fn status() -> EventBody {
    EventBody::AgentStatus { state: AgentState::Working }
}

fn complete() -> EventBody {
    EventBody::MessageComplete {
        message_id: message(),
        content: "hello".to_owned(),
        elements: Vec::new(),
        derived_from: Default::default(),
        stop_reason: StopReason::Completed,
        executed_elements: 0,
        model: None,
    }
}

impl Scene {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let engine = Engine::start(Parts {
            store: Store::open(&url, MasterKey::from_bytes([7; 32])).await.unwrap(),
            models: Models::new(ModelsSettings::default()),
            registry: Registry::builtin().unwrap(),
            clock: Arc::new(SystemClock),
            node: NodeId::from_uuid(Uuid::from_u128(1)).into(),
            settings: Settings::default(),
        })
        .await
        .unwrap();
        let person =
            NewPerson { name: "Ada".to_owned(), role: UserRole::Owner, password: None, time_zone: None };
        let user = engine.people().create_person(person).await.unwrap().id;
        let agent_id = engine.agent_by_name(user, "main".to_owned()).await.unwrap().id;
        let session = engine.create_session(user, NewSession::with(agent_id)).await.unwrap().id;
        Self { engine, user, session, _folder: folder }
    }

    /// Commits one event and does not publish it.
    async fn commit(&self, body: EventBody) -> Event {
        self.commit_entry(Entry::Event { turn_id: None, body }).await
    }

    async fn commit_entry(&self, entry: Entry) -> Event {
        let (user, session, now) = (self.user, self.session, self.engine.now());
        let key = self.engine.store().data_key(user).await.unwrap();
        let write = move |tx: &mut store::Tx| {
            let numbers = sessions::take_seq(tx, user, session, 1, now)?;
            log::append(tx, &key, numbers, now, vec![entry])
        };
        self.engine.store().write(write).await.unwrap().remove(0)
    }

    fn publish(&self, events: &[&Event]) {
        let events: Vec<Event> = events.iter().copied().cloned().collect();
        self.engine.publish(self.user, self.session, &events);
    }

    fn say(&self, text: &str) {
        self.engine
            .state::<crate::follow::feed::Feeds>()
            .get(self.session)
            .push([crate::follow::open_message::Live::text(text)]);
    }

    async fn start(&self) -> Event {
        let agent_id = self.engine.session(self.user, self.session).await.unwrap().agent_id;
        let agent_name = "main".to_owned();
        self.commit(EventBody::MessageStart { message_id: message(), agent_id, agent_name }).await
    }

    async fn follow(&self, start: Start) -> Reader {
        self.engine.follow(self.user, self.session, start).await.unwrap()
    }

    async fn whole_log(&self) -> Reader {
        self.follow(Start::After(Cursor { seq: 0, offset: 0 })).await
    }
}

async fn next_frame(reader: &mut Reader) -> Frame {
    let waiting = tokio::time::timeout(Duration::from_secs(20), reader.next());
    waiting.await.expect("nothing came").unwrap().unwrap()
}

async fn next(reader: &mut Reader) -> Envelope {
    next_frame(reader).await.envelope().unwrap()
}

/// The words of the next event, which is a live one.
async fn words(reader: &mut Reader) -> String {
    match next(reader).await.body {
        EnvelopeBody::Live(LiveBody::Text { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

async fn seqs(reader: &mut Reader, count: usize) -> Vec<u64> {
    let mut seqs = Vec::new();
    for _ in 0..count {
        seqs.push(next(reader).await.seq);
    }
    seqs
}

/// The reader has everything that was committed, so one look tells whether it would repeat something.
fn has_nothing(reader: &mut Reader) -> bool {
    reader.next().now_or_never().is_none()
}

#[tokio::test]
async fn events_published_in_another_order_arrive_in_order() {
    let scene = Scene::new().await;
    let mut reader = scene.whole_log().await;
    let mut events = Vec::new();
    for _ in 0..6 {
        events.push(scene.commit(status()).await);
    }
    for at in [0, 3, 1, 5, 4, 2, 2] {
        scene.publish(&[&events[at]]);
    }
    assert_eq!(seqs(&mut reader, 6).await, [1, 2, 3, 4, 5, 6]);
    assert!(has_nothing(&mut reader));
}

#[tokio::test]
async fn an_event_that_nobody_publishes_is_found_as_soon_as_another_is() {
    let scene = Scene::new().await;
    let mut reader = scene.whole_log().await;
    let first = scene.commit(status()).await;
    scene.publish(&[&first]);
    assert_eq!(seqs(&mut reader, 1).await, [1]);
    scene.commit(status()).await;
    let third = scene.commit(status()).await;
    scene.publish(&[&third]);
    assert_eq!(seqs(&mut reader, 2).await, [2, 3]);
}

#[tokio::test]
async fn a_message_whose_end_was_read_is_not_told_again() {
    let scene = Scene::new().await;
    let mut reader = scene.whole_log().await;
    let start = scene.start().await;
    scene.publish(&[&start]);
    scene.say("hello");
    let end = scene.commit(complete()).await;
    let after = scene.commit(status()).await;
    // Another writer's event is published first, so the reader finds the end in the log before the feed hears of it.
    scene.publish(&[&after]);
    assert_eq!(seqs(&mut reader, 3).await, [1, 2, 3]);
    assert!(has_nothing(&mut reader), "the text of a complete message");
    scene.publish(&[&end]);
    assert!(has_nothing(&mut reader));
}

/// A cursor of the node that writes the message may be further than what has come of it.
#[tokio::test]
async fn a_cursor_of_another_node_waits_for_what_it_has_had() {
    let scene = Scene::new().await;
    let start = scene.start().await;
    let feed = scene.engine.state::<crate::follow::feed::Feeds>().get(scene.session);
    feed.publish_heard(std::slice::from_ref(&start));
    let piece = |offset, text: &str| {
        let (id, live) = (message(), vec![crate::follow::open_message::Live::text(text)]);
        feed.mirror(RelayedMessage { id, turn: None, since: start.seq, offset, live })
    };
    let mut reader = scene.follow(Start::After(Cursor { seq: start.seq, offset: 6 })).await;
    assert!(has_nothing(&mut reader));
    piece(0, "hell");
    assert!(has_nothing(&mut reader), "it has had that");
    piece(4, "o you");
    assert_eq!(words(&mut reader).await, "you");
}

/// The log is ahead of the feed: the words of a message that began again are not those of before.
#[tokio::test]
async fn a_beginning_that_was_read_is_not_followed_by_the_words_before_it() {
    let scene = Scene::new().await;
    let mut reader = scene.whole_log().await;
    let start = scene.start().await;
    scene.publish(&[&start]);
    scene.say("before");
    assert_eq!(seqs(&mut reader, 2).await, [1, 1]);
    let (message_id, attempt) = (message(), 2);
    let again = scene.commit(EventBody::MessageRestarted { message_id, attempt, retry: None }).await;
    let after = scene.commit(status()).await;
    scene.publish(&[&after]);
    assert_eq!(seqs(&mut reader, 2).await, [2, 3]);
    assert!(has_nothing(&mut reader), "the words of before");
    scene.publish(&[&again]);
    scene.say("after");
    assert_eq!(words(&mut reader).await, "after");
}

#[tokio::test]
async fn a_reader_that_begins_behind_an_unpublished_end_is_not_shown_the_message_as_open() {
    let scene = Scene::new().await;
    let holder = scene.whole_log().await;
    let start = scene.start().await;
    scene.publish(&[&start]);
    scene.say("hello");
    let end = scene.commit(complete()).await;
    let mut late = scene.follow(Start::Now).await;
    assert!(has_nothing(&mut late));
    // One that was in the middle of it gets its end.
    let mut inside = scene.follow(Start::After(Cursor { seq: 1, offset: 2 })).await;
    assert_eq!(next(&mut inside).await.seq, end.seq);
    scene.publish(&[&end]);
    assert!(has_nothing(&mut late));
    drop(holder);
}

#[tokio::test]
async fn a_message_that_is_open_is_told_from_where_the_reader_is() {
    let scene = Scene::new().await;
    let holder = scene.whole_log().await;
    let start = scene.start().await;
    scene.publish(&[&start]);
    scene.say("hello");
    let mut inside = scene.follow(Start::After(Cursor { seq: 1, offset: 2 })).await;
    let told = next(&mut inside).await;
    assert_eq!(told.cursor, Cursor { seq: 1, offset: 5 });
    assert!(serde_json::to_string(&told).unwrap().contains("\"llo\""));
    drop(holder);
}

#[tokio::test]
async fn readers_that_keep_up_are_given_the_same_bytes() {
    let scene = Scene::new().await;
    let (mut one, mut other) = (scene.whole_log().await, scene.whole_log().await);
    let start = scene.start().await;
    scene.publish(&[&start]);
    for _ in 0..2 {
        scene.say("hello");
        let frames = [next_frame(&mut one).await, next_frame(&mut other).await];
        assert_eq!(frames[0], frames[1]);
        assert!(frames[0].is_shared_with(&frames[1]), "written twice: {}", frames[0].kind());
    }
}

#[tokio::test]
async fn readers_at_different_places_get_each_the_rest() {
    let scene = Scene::new().await;
    let mut quick = scene.whole_log().await;
    let mut slow = scene.whole_log().await;
    let start = scene.start().await;
    scene.publish(&[&start]);
    let mut told = String::new();
    next(&mut quick).await;
    next(&mut slow).await;
    for (number, piece) in ["Gr", "üß", "e, ", "世", "界", "!"].into_iter().enumerate() {
        scene.say(piece);
        told.push_str(&words(&mut quick).await);
        // One that begins inside of what others were given.
        let mut inside = scene.follow(Start::After(Cursor { seq: 1, offset: 1 })).await;
        assert_eq!(words(&mut inside).await, told[1..]);
        assert!(has_nothing(&mut quick));
        if number == 3 {
            assert_eq!(words(&mut slow).await, told, "it was away for some pieces");
        }
    }
    assert_eq!(words(&mut slow).await, "界!");
    assert_eq!(told, "Grüße, 世界!");
    let cursor = Cursor { seq: 1, offset: told.len() as u64 };
    assert_eq!((quick.cursor(), slow.cursor()), (cursor, cursor));
}

#[tokio::test]
async fn a_message_that_is_begun_again_is_told_anew() {
    let scene = Scene::new().await;
    let (mut one, mut other) = (scene.whole_log().await, scene.whole_log().await);
    let start = scene.start().await;
    scene.publish(&[&start]);
    scene.say("lost");
    next(&mut one).await;
    assert_eq!(words(&mut one).await, "lost");
    let again = EventBody::MessageRestarted { message_id: message(), attempt: 2, retry: None };
    let again = scene.commit(again).await;
    scene.publish(&[&again]);
    scene.say("kept");
    for reader in [&mut one, &mut other] {
        while next_frame(reader).await.kind() != "message_restarted" {}
        assert_eq!(words(reader).await, "kept");
        assert_eq!(reader.cursor(), Cursor { seq: 2, offset: 4 });
    }
}

#[tokio::test]
async fn each_reader_of_a_turn_gets_its_own_and_no_other() {
    let scene = Scene::new().await;
    let turns = [1, 2].map(|number| TurnId::from_uuid(Uuid::from_u128(number)));
    let mut readers = Vec::new();
    for turn in turns {
        readers.push(scene.engine.follow_turn(scene.user, scene.session, turn, 0).await.unwrap());
    }
    for (at, turn) in turns.into_iter().enumerate() {
        let agent_id = scene.engine.session(scene.user, scene.session).await.unwrap().agent_id;
        let ends = EventBody::TurnEnded {
            outcome: [TurnOutcome::Completed, TurnOutcome::Failed][at],
            error: None,
            usage: Usage::default(),
        };
        let begins =
            EventBody::MessageStart { message_id: message(), agent_id, agent_name: "main".to_owned() };
        let begun = scene.commit_entry(Entry::Event { turn_id: Some(turn), body: begins }).await;
        scene.publish(&[&begun]);
        scene.say("hello");
        // The one whose turn this is not passes over it.
        readers.iter_mut().for_each(|reader| drop(reader.stirred().now_or_never()));
        for body in [complete(), ends] {
            let event = scene.commit_entry(Entry::Event { turn_id: Some(turn), body }).await;
            scene.publish(&[&event]);
        }
    }
    for (turn, mut reader) in turns.into_iter().zip(readers) {
        let mut kinds = Vec::new();
        while let Some(frame) = reader.next().await.unwrap() {
            assert_eq!(frame.envelope().unwrap().turn_id, Some(turn));
            kinds.push(frame.kind());
        }
        kinds.retain(|kind| *kind != "text");
        assert_eq!(kinds, ["message_start", "message_complete", "turn_ended"]);
    }
}

/// An end about which the store is asked is told at once when the store has answered, and so is what came before it.
#[tokio::test]
async fn a_turn_that_failed_ends_its_stream() {
    let scene = Scene::new().await;
    let turn = TurnId::from_uuid(Uuid::from_u128(9));
    let mut reader = scene.engine.follow_turn(scene.user, scene.session, turn, 0).await.unwrap();
    let ends = EventBody::TurnEnded { outcome: TurnOutcome::Failed, error: None, usage: Usage::default() };
    let mut events = Vec::new();
    for body in [EventBody::TurnStarted { source: Source::Web, attempt: 1 }, status(), ends] {
        events.push(scene.commit_entry(Entry::Event { turn_id: Some(turn), body }).await);
    }
    scene.publish(&events.iter().collect::<Vec<_>>());
    for kind in ["turn_started", "agent_status", "turn_ended"] {
        assert_eq!(next_frame(&mut reader).await.kind(), kind);
    }
    assert!(reader.next().await.unwrap().is_none());
}

#[path = "replay_tests.rs"]
mod replay;

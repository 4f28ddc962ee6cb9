//! What a reader makes of events that are published late, twice or in another order than they were committed.

use crate::{Engine, NewPerson, NewSession, Parts, Reader, Settings, Start};
use capability::{Registry, SystemClock};
use domain::{
    AgentState, Cursor, Envelope, Event, EventBody, MessageId, NodeId, SessionId, StopReason, UserId,
    UserRole,
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
            node: NodeId::from_uuid(Uuid::from_u128(1)),
            settings: Settings::default(),
        })
        .await
        .unwrap();
        let person =
            NewPerson { name: "Ada".to_owned(), role: UserRole::Owner, password: None, time_zone: None };
        let user = engine.people().create_person(person).await.unwrap().id;
        let agent_id = engine.agent_by_name(user, "main".to_owned()).await.unwrap().id;
        let session =
            engine.create_session(user, NewSession { agent_id, name: None, handler: None }).await.unwrap().id;
        Self { engine, user, session, _folder: folder }
    }

    /// Commits one event and does not publish it.
    async fn commit(&self, body: EventBody) -> Event {
        let (user, session, now) = (self.user, self.session, self.engine.now());
        let key = self.engine.store().data_key(user).await.unwrap();
        let write = move |tx: &mut store::Tx| {
            let numbers = sessions::take_seq(tx, user, session, 1, now)?;
            log::append(tx, &key, numbers, now, vec![Entry::Event { turn_id: None, body }])
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

async fn next(reader: &mut Reader) -> Envelope {
    let waiting = tokio::time::timeout(Duration::from_secs(20), reader.next());
    waiting.await.expect("nothing came").unwrap().unwrap().envelope().unwrap()
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

//! Forks: a beginning of a conversation goes on elsewhere.

use crate::world::World;
use domain::{Message, Role, Session};
use engine::{Error, Fork};
use store::messages::MessagePage;
use testkit::model::Reply;

impl World {
    async fn fork(&self, after_seq: Option<u64>, key: Option<&str>) -> engine::Result<Session> {
        let (user, id, key) = (self.user, self.session, key.map(str::to_owned));
        let work = move |engine: engine::Engine| async move {
            engine.fork_session(user, id, Fork { after_seq }, key).await
        };
        self.house.on(work).await
    }

    async fn said(&self, session: &Session) -> Vec<Message> {
        let page = MessagePage { before_seq: None, after_seq: None, limit: 1_000 };
        self.engine().messages(self.user, session.id, page).await.unwrap().items
    }
}

fn words(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}

/// A session with a turn that has a call in it.
async fn with_a_call() -> World {
    let world = World::new().await;
    world.model.script(Reply::text("Hi.").then_calls([("add", serde_json::json!({ "a": 1, "b": 2 }))]));
    world.model.script(Reply::text("Three."));
    world.run("Add").await;
    world
}

#[tokio::test]
async fn a_fork_goes_on_without_touching_its_parent() {
    let mut world = with_a_call().await;
    world.model.script(Reply::text("Good."));
    world.run("Thanks").await;
    let (before, log) = (world.messages().await, world.log().await);
    let fork = world.fork(None, None).await.unwrap();
    assert_eq!((fork.parent_id, fork.message_count, fork.name.clone()), (Some(world.session), 6, None));
    assert_eq!((fork.read_seq, fork.usage), (fork.last_seq, domain::Usage::ZERO));
    let copied = world.said(&fork).await;
    assert_eq!(words(&copied), words(&before));
    assert!(copied.iter().zip(&before).all(|(copy, own)| copy.id != own.id && copy.turn_id != own.turn_id));
    let parent = std::mem::replace(&mut world.session, fork.id);
    world.model.script(Reply::text("On and on."));
    world.run("Go on").await;
    // The model is told the same conversation, with the call and its result; it refuses any other.
    assert_eq!(world.model.last_request().unwrap().messages().len(), 1 + 6 + 1);
    let seqs: Vec<u64> = world.log().await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    world.model.assert_clean();
    world.session = parent;
    assert_eq!((world.messages().await, world.log().await), (before, log));
    world.check(&["Add", "Thanks"]).await;
}

#[tokio::test]
async fn no_cut_splits_a_call_from_its_result() {
    let world = with_a_call().await;
    let all = world.messages().await;
    let last = world.session().await.last_seq;
    for after_seq in 0..=last {
        let fork = world.fork(Some(after_seq), None).await.unwrap();
        let said = world.said(&fork).await;
        let calls = said.iter().flat_map(Message::calls).count();
        assert_eq!(calls, said.iter().flat_map(Message::results).count(), "after {after_seq}");
        // Everything up to there, but for a message whose call is not settled yet.
        let kept = all.iter().filter(|message| message.seq <= after_seq).count();
        let split = kept > 0 && all[kept - 1].role == Role::Assistant && all[kept - 1].calls().count() > 0;
        assert_eq!(said.len(), kept - usize::from(split), "after {after_seq}");
    }
    let beyond = world.fork(Some(last + 1), None).await;
    assert!(matches!(beyond, Err(Error::Invalid { code: "bad_after_seq", .. })));
}

#[tokio::test]
async fn a_repeated_key_finds_the_first_fork() {
    let world = with_a_call().await;
    let first = world.fork(None, Some("k")).await.unwrap();
    assert_eq!(world.fork(None, Some("k")).await.unwrap().id, first.id);
    assert!(matches!(world.fork(Some(1), Some("k")).await, Err(Error::IdempotencyMismatch)));
    assert_ne!(world.fork(None, Some("other")).await.unwrap().id, first.id);
    assert_ne!(world.fork(None, None).await.unwrap().id, first.id);
    let (one, two) = tokio::join!(world.fork(None, Some("both")), world.fork(None, Some("both")));
    assert_eq!(one.unwrap().id, two.unwrap().id);
}

#[tokio::test]
async fn a_fork_keeps_the_pictures_and_takes_the_name() {
    let world = World::new().await;
    let upload = world.upload("cat.png", crate::files::pictures::PNG.to_vec()).await.unwrap();
    world.model.script(Reply::text("A cat."));
    let accepted = world.send(world.with_picture("Look", upload.id)).await.unwrap();
    world.ended(accepted).await;
    let change = engine::SessionChange { name: engine::Change::Set("Cats".to_owned()), ..Default::default() };
    world.engine().change_session(&world.me(), world.session, change).await.unwrap();
    let fork = world.fork(None, None).await.unwrap();
    assert_eq!(fork.name.as_deref(), Some("Cats (copy)"));
    assert_eq!(world.said(&fork).await[0].images().collect::<Vec<_>>(), [upload.id]);
    world.engine().delete_session(world.user, world.session).await.unwrap();
    assert_eq!(world.count("upload_uses").await, 1);
}

/// A long conversation is copied in many small transactions, and all of it arrives.
#[tokio::test]
async fn a_long_fork_is_written_in_pieces() {
    let world = World::new().await;
    let (user, session, now) = (world.user, world.session, world.engine().now());
    let key = world.store.data_key(user).await.unwrap();
    let turn = domain::TurnId::from_uuid(uuid::Uuid::now_v7());
    // As many as one piece takes, and some that are large.
    let sizes = std::iter::repeat_n(10, 450).chain(std::iter::repeat_n(700_000, 4));
    let said: Vec<Message> = sizes
        .enumerate()
        .map(|(number, size)| Message {
            content: format!("{number}: {}", "x".repeat(size)),
            ..Message::new(domain::MessageId::from_uuid(uuid::Uuid::now_v7()), turn, Role::User, now)
        })
        .collect();
    let entries: Vec<store::log::Entry> = said.iter().cloned().map(store::log::Entry::Message).collect();
    let write = move |tx: &mut store::Tx| {
        let count = entries.len() as u64;
        let numbers = store::sessions::take_seq(tx, user, session, count, None)?;
        store::log::append(tx, &key, numbers, now, entries)
    };
    world.store.write(write).await.unwrap();
    let before = world.house.store.counts().commits;
    let fork = world.fork(None, None).await.unwrap();
    let commits = world.house.store.counts().commits - before;
    assert!(commits > 1 + 3 + 3, "it took {commits} commits");
    assert_eq!(fork.message_count, 454);
    let mut copied = Vec::new();
    let mut after_seq = Some(0);
    while let Some(after) = after_seq {
        let page = MessagePage { before_seq: None, after_seq: Some(after), limit: 100 };
        let items = world.engine().messages(user, fork.id, page).await.unwrap().items;
        after_seq = items.last().map(|message| message.seq);
        copied.extend(items);
    }
    assert_eq!(words(&copied), words(&said));
}

/// Of a repeated key only the first copy stays.
#[tokio::test]
async fn a_repeated_fork_leaves_one_session() {
    let world = with_a_call().await;
    let one = world.fork(None, Some("key")).await.unwrap();
    let two = world.fork(None, Some("key")).await.unwrap();
    assert_eq!(one.id, two.id);
    let sql = "SELECT COUNT(*) FROM sessions";
    let count: u64 = world.store.read(move |tx: &mut store::Tx| tx.one(sql, Vec::new())).await.unwrap();
    assert_eq!(count, 2);
}

use crate::world::{World, at, new_message, new_session, turn_id, uuid};
use domain::{Confidentiality, Label, Message, ModelCallId, Role, Usage};
use store::{
    Error, Result, Tx, args,
    compactions::{self, Compaction},
    log::Entry,
    messages::{self, Recent},
    sessions,
};

pub fn compaction(generation: u64, up_to_seq: u64, summary: &str) -> Compaction {
    Compaction {
        generation,
        up_to_seq,
        level: 1,
        tokens: 7,
        label: Label { confidentiality: Confidentiality::Private, ..Label::TRUSTED_PUBLIC },
        created_at: at(1),
        summary: summary.to_owned(),
    }
}

impl World {
    pub async fn compact(&self, new: Compaction) -> Result<()> {
        let (key, session, user) = (self.key.clone(), self.session, self.user);
        let write = move |tx: &mut Tx| {
            drop(sessions::take_seq(tx, user, session, 1, None)?);
            compactions::add(tx, &key, session, &new)
        };
        self.store.write(write).await
    }

    async fn told(&self) -> Recent {
        let (key, session) = (self.key.clone(), self.session);
        let read = move |tx: &mut Tx| messages::recent(tx, &key, session, u64::MAX, 1_000);
        self.store.read(read).await.unwrap()
    }

    async fn oldest(&self, after: u64, bytes: u64, rows: u32) -> (Vec<Message>, bool) {
        let (key, session) = (self.key.clone(), self.session);
        let read = move |tx: &mut Tx| messages::oldest(tx, &key, session, after, bytes, rows);
        self.store.read(read).await.unwrap()
    }

    async fn say(&self, words: &[&str]) {
        let turn = turn_id();
        let entry = |word: &&str| Entry::Message(new_message(turn, Role::User, word));
        self.append(words.iter().map(entry).collect()).await;
    }
}

fn words(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}

pub async fn what_is_told_is_the_newest_summary_and_what_came_after_it(world: World) {
    world.say(&["a", "b", "c", "d", "e"]).await;
    assert_eq!(world.told().await.summary, None);
    world.compact(compaction(1, 2, "a and b")).await.unwrap();
    let before = world.store.counts();
    let told = world.told().await;
    assert_eq!(world.store.counts().statements - before.statements, 1);
    assert_eq!(told.summary, Some(compaction(1, 2, "a and b")));
    assert_eq!((words(&told.messages), told.complete), (vec!["c", "d", "e"], true));
    world.compact(compaction(2, 4, "a to d")).await.unwrap();
    let told = world.told().await;
    assert_eq!(told.summary, Some(compaction(2, 4, "a to d")));
    assert_eq!((words(&told.messages), told.complete), (vec!["e"], true));
    // What does not fit behind the summary is left out, and the summary is there all the same.
    world.say(&["f", "g"]).await;
    let (key, session) = (world.key.clone(), world.session);
    let read = move |tx: &mut Tx| messages::recent(tx, &key, session, u64::MAX, 2);
    let cut = world.store.read(read).await.unwrap();
    assert_eq!((words(&cut.messages), cut.complete), (vec!["f", "g"], false));
    assert_eq!(cut.summary.map(|summary| summary.generation), Some(2));
    // The originals stay.
    let all = world.oldest(0, u64::MAX, 100).await;
    assert_eq!((words(&all.0), all.1), (vec!["a", "b", "c", "d", "e", "f", "g"], true));
}

pub async fn of_two_summaries_made_at_once_one_is_kept(world: World) {
    world.say(&["a", "b", "c", "d"]).await;
    let (one, two) =
        tokio::join!(world.compact(compaction(1, 2, "one")), world.compact(compaction(1, 3, "two")));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    assert!(matches!(one.and(two), Err(Error::Conflict(_))));
    assert_eq!(world.count("compactions").await, 1);
    // Nor one that goes back.
    let back = world.compact(compaction(2, 1, "back")).await;
    assert!(matches!(back, Err(Error::Conflict(_))), "{back:?}");
    let session = world.session;
    let last =
        move |tx: &mut Tx| tx.one::<u64>("SELECT last_seq FROM sessions WHERE id = $1", args![session]);
    assert_eq!(world.store.read(last).await.unwrap(), 5, "the loser took no number");
}

pub async fn an_older_summary_is_found_by_what_it_stands_for(world: World) {
    world.say(&["a", "b", "c", "d", "e", "f"]).await;
    world.compact(compaction(1, 2, "one")).await.unwrap();
    world.compact(compaction(2, 4, "two")).await.unwrap();
    for (seq, generation) in [(2, None), (3, Some(1)), (4, Some(1)), (5, Some(2)), (9, Some(2))] {
        let (key, session) = (world.key.clone(), world.session);
        let read = move |tx: &mut Tx| compactions::before(tx, &key, session, seq);
        let found = world.store.read(read).await.unwrap();
        assert_eq!(found.map(|found| found.generation), generation, "before {seq}");
    }
    let (key, session, user) = (world.key.clone(), world.session, world.user);
    let latest = {
        let key = key.clone();
        move |tx: &mut Tx| compactions::latest(tx, &key, session)
    };
    assert_eq!(world.store.read(latest).await.unwrap().map(|found| found.generation), Some(2));
    world.store.write(move |tx: &mut Tx| sessions::delete(tx, user, session)).await.unwrap();
    assert_eq!(world.count("compactions").await, 0, "they go with their session");
}

pub async fn a_summary_opens_only_where_it_belongs(world: World) {
    world.say(&["a", "b", "c"]).await;
    world.compact(compaction(1, 2, "a and b")).await.unwrap();
    for (tamper, undo) in [
        ("UPDATE compactions SET label = 0", "UPDATE compactions SET label = 2"),
        ("UPDATE compactions SET up_to_seq = 1", "UPDATE compactions SET up_to_seq = 2"),
    ] {
        world.tamper(tamper, vec![]).await;
        let (key, session) = (world.key.clone(), world.session);
        let read = move |tx: &mut Tx| compactions::latest(tx, &key, session);
        let refused = world.store.read(read).await.unwrap_err();
        assert_eq!(refused, Error::Crypto { table: "compactions", column: "summary" }, "{tamper}");
        world.tamper(undo, vec![]).await;
    }
    assert!(world.told().await.summary.is_some(), "the control");
}

pub async fn the_oldest_come_within_bytes_and_rows(world: World) {
    assert_eq!(world.oldest(0, 100, 10).await, (vec![], true));
    world.say(&["a", "b", "c", "d"]).await;
    let size: u64 = {
        let read = |tx: &mut Tx| tx.one("SELECT size FROM messages WHERE seq = 1", vec![]);
        world.store.read(read).await.unwrap()
    };
    let oldest = async |after, bytes, rows| {
        let (messages, all) = world.oldest(after, bytes, rows).await;
        (words(&messages).concat(), all)
    };
    assert_eq!(oldest(0, 2 * size, 10).await, ("ab".to_owned(), false));
    assert_eq!(oldest(1, 2 * size - 1, 10).await, ("b".to_owned(), false));
    assert_eq!(oldest(1, u64::MAX, 2).await, ("bc".to_owned(), false));
    assert_eq!(oldest(2, u64::MAX, 2).await, ("cd".to_owned(), true));
    assert_eq!(oldest(0, 0, 0).await, ("a".to_owned(), false), "always one");
}

pub async fn a_request_that_never_ended_is_found_by_the_next(world: World) {
    let usage = Usage { input_tokens: 10, output_tokens: 5, cached_tokens: 1, cost_microusd: Some(7) };
    let (user, session) = (world.user, world.session);
    let [first, second] = [(); 2].map(|()| ModelCallId::from_uuid(uuid()));
    let begin = async |call| {
        let write = move |tx: &mut Tx| compactions::begin_call(tx, user, session, call);
        world.store.write(write).await.unwrap()
    };
    let end = async |call| {
        let write = move |tx: &mut Tx| compactions::end_call(tx, session, call, usage);
        world.store.write(write).await.unwrap();
    };
    assert_eq!(begin(first).await, None);
    assert_eq!(begin(second).await, Some(first));
    end(first).await;
    assert_eq!(begin(second).await, Some(second), "somebody else's end does not end it");
    end(second).await;
    assert_eq!(begin(first).await, None);
    let (key, other) = (world.key.clone(), new_session(&world.agent, None).id);
    let read = move |tx: &mut Tx| sessions::get(tx, &key, user, session);
    let spent = world.store.read(read).await.unwrap().unwrap().usage;
    assert_eq!((spent.input_tokens, spent.cost_microusd), (20, Some(14)));
    let nowhere = move |tx: &mut Tx| compactions::begin_call(tx, user, other, first);
    assert_eq!(world.store.write(nowhere).await, Err(Error::NotFound));
}

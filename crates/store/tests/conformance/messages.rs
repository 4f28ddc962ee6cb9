use crate::world::{World, at, new_message, turn_id, uuid};
use domain::{CallId, Label, Message, MessageKind, Meta, Origin, Part, Role, StopReason, Usage, UserId};
use serde_json::json;
use store::{
    Paged, Tx,
    log::Entry,
    messages::{self, MessagePage, Recent},
    sessions,
};

async fn page(world: &World, before_seq: Option<u64>, after_seq: Option<u64>, limit: u32) -> Paged<Message> {
    let (key, session) = (world.key.clone(), world.session);
    let page = MessagePage { before_seq, after_seq, limit };
    world.store.read(move |tx: &mut Tx| messages::page(tx, &key, session, page)).await.unwrap()
}

async fn recent(world: &World, max_bytes: u64, max_rows: u32) -> Recent {
    let (key, session) = (world.key.clone(), world.session);
    let read = move |tx: &mut Tx| messages::recent(tx, &key, session, max_bytes, max_rows);
    world.store.read(read).await.unwrap()
}

fn words(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}

async fn five(world: &World) {
    let turn = turn_id();
    let names = ["a", "b", "c", "d", "e"];
    world.append(names.map(|name| Entry::Message(new_message(turn, Role::User, name))).to_vec()).await;
}

pub async fn the_transcript_is_paged_both_ways(world: World) {
    five(&world).await;
    let newest = page(&world, None, None, 2).await;
    assert_eq!(
        (words(&newest.items), newest.total, newest.next_cursor.as_deref()),
        (vec!["d", "e"], 5, Some("4"))
    );
    let older = page(&world, Some(4), None, 3).await;
    assert_eq!((words(&older.items), older.next_cursor), (vec!["a", "b", "c"], None));
    let forward = page(&world, None, Some(0), 4).await;
    assert_eq!(
        (words(&forward.items), forward.next_cursor.as_deref()),
        (vec!["a", "b", "c", "d"], Some("4"))
    );
    let end = page(&world, None, Some(4), 4).await;
    assert_eq!((words(&end.items), end.next_cursor), (vec!["e"], None));
    assert!(page(&world, Some(0), None, 10).await.items.is_empty());
    assert!(page(&world, None, Some(u64::MAX), 10).await.items.is_empty());
}

pub async fn recent_keeps_within_bytes_and_rows(world: World) {
    assert_eq!(recent(&world, 1_000, 10).await, Recent { summary: None, messages: vec![], complete: true });
    five(&world).await;
    let size: u64 = {
        let read = |tx: &mut Tx| tx.one("SELECT size FROM messages WHERE seq = 1", vec![]);
        world.store.read(read).await.unwrap()
    };
    let before = world.store.counts();
    let all = recent(&world, u64::MAX, 1_000).await;
    assert_eq!(world.store.counts().statements - before.statements, 1);
    assert_eq!((words(&all.messages), all.complete), (vec!["a", "b", "c", "d", "e"], true));
    let two = recent(&world, 2 * size, 1_000).await;
    assert_eq!((words(&two.messages), two.complete), (vec!["d", "e"], false));
    let almost_two = recent(&world, 2 * size - 1, 1_000).await;
    assert_eq!(words(&almost_two.messages), ["e"]);
    let three = recent(&world, u64::MAX, 3).await;
    assert_eq!((words(&three.messages), three.complete), (vec!["c", "d", "e"], false));
    // Always the newest, whatever it weighs.
    assert_eq!(words(&recent(&world, 0, 0).await.messages), ["e"]);
}

pub async fn a_message_comes_back_as_it_was_written(world: World) {
    let turn = turn_id();
    let call_id = CallId::from_uuid(uuid());
    let long = "same words ".repeat(1_000);
    let mut message = new_message(turn, Role::Assistant, &long);
    message.parts = vec![
        Part::Thinking { text: long.clone() },
        Part::Text { text: long.clone() },
        Part::Text { text: String::new() },
        Part::Text { text: "other words".to_owned() },
        Part::Call {
            call_id,
            name: "noop".to_owned(),
            arguments: json!({"a": [1, null]}),
            origin: Origin::Native,
            element_id: None,
            target: None,
            reference: None,
        },
    ];
    message.meta = Meta {
        duration: Some(3),
        kind: Some(MessageKind::Limit),
        number: Some(4),
        shown: Some("Shown.".into()),
        model: Some("test/m".into()),
        order: vec![3, 0, 2],
    };
    message.markup = Some(domain::MarkupSettings::default());
    message.offset = Some(7);
    message.answers = [("colour".to_owned(), "red".to_owned())].into();
    message.stop_reason = Some(StopReason::ToolUse);
    message.usage = Some(Usage { input_tokens: 1, output_tokens: 2, cached_tokens: 3, cost_microusd: None });
    message.label = Label { integrity: domain::Integrity::Untrusted, ..message.label };
    world.append(vec![Entry::Message(message.clone())]).await;
    message.seq = 1;
    let key = world.key.clone();
    let found = world.store.read(move |tx: &mut Tx| messages::of_turn(tx, &key, turn)).await.unwrap();
    assert_eq!(found, [message]);
    // The text part is the content: it is not stored twice (the thinking is, once).
    let read = |tx: &mut Tx| tx.one::<u64>("SELECT size FROM messages WHERE seq = 1", vec![]);
    let size = world.store.read(read).await.unwrap();
    assert!(size < 2 * 11_000 + 1_000, "{size} bytes");
}

pub async fn a_page_of_the_transcript_ends_at_bytes(world: World) {
    let (turn, long) = (turn_id(), "x".repeat(300 << 10));
    for _ in 0..8 {
        world.append(vec![Entry::Message(new_message(turn, Role::User, &long))]).await;
    }
    let seqs = |page: &Paged<Message>| page.items.iter().map(|message| message.seq).collect::<Vec<_>>();
    let newest = page(&world, None, None, 100).await;
    assert_eq!(
        (seqs(&newest), newest.total, newest.next_cursor.as_deref()),
        (vec![5, 6, 7, 8], 8, Some("5"))
    );
    let older = page(&world, Some(5), None, 100).await;
    assert_eq!((seqs(&older), older.next_cursor), (vec![1, 2, 3, 4], None));
    let forward = page(&world, None, Some(2), 100).await;
    assert_eq!((seqs(&forward), forward.next_cursor.as_deref()), (vec![3, 4, 5, 6], Some("6")));
    let few = page(&world, None, Some(2), 2).await;
    assert_eq!((seqs(&few), few.next_cursor.as_deref()), (vec![3, 4], Some("4")));
}

pub async fn what_is_shown_takes_the_next_number_and_belongs_to_the_newest_turn(world: World) {
    let (user, session, other) = (world.user, world.session, UserId::from_uuid(uuid()));
    let newest = move |tx: &mut Tx| messages::newest_turn(tx, session);
    assert_eq!(world.store.read(newest).await.unwrap(), None);
    let turn = turn_id();
    world.append(vec![Entry::Message(new_message(turn, Role::User, "Hello"))]).await;
    assert_eq!(world.store.read(newest).await.unwrap(), Some(turn));
    let count = move |tx: &mut Tx| tx.one::<u64>("SELECT last_seq + message_count FROM sessions", vec![]);
    let before = world.store.read(count).await.unwrap();
    let take = move |tx: &mut Tx| sessions::take_message(tx, user, session, at(9)).map(drop);
    world.store.write(take).await.unwrap();
    assert_eq!(world.store.read(count).await.unwrap(), before + 2, "one more message, and its number");
    let of_other = move |tx: &mut Tx| sessions::take_message(tx, other, session, at(9)).map(drop);
    assert!(world.store.write(of_other).await.is_err(), "in no conversation of another person");
}

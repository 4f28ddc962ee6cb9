//! What nodes tell each other through PostgreSQL, and what they look at when they may not have been told. SQLite has one process.

use crate::world::{World, at};
use std::time::Duration;
use store::{Arg, BusEars, BusNews, NOTE_BYTES, Store, Tx, sessions};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(30);

async fn next(ears: &mut BusEars) -> BusNews {
    timeout(PATIENCE, ears.next()).await.expect("nothing is heard")
}

fn told(text: &str) -> BusNews {
    BusNews::Told(text.to_owned())
}

async fn another(world: &World) -> Store {
    Store::open(&world.url, world.master.clone()).await.unwrap()
}

/// Ends the connections whose last statement begins like this; how many there were.
async fn cut(world: &World, begin: &str) -> usize {
    let sql = "SELECT CASE WHEN pg_terminate_backend(pid) THEN 1::int8 ELSE 0::int8 END FROM pg_stat_activity \
               WHERE datname = current_database() AND query LIKE $1";
    let begin = Arg::Text(Some(format!("{begin}%")));
    let terminate = move |tx: &mut Tx| tx.all::<i64>(sql, vec![begin]);
    world.store.write(terminate).await.unwrap().len()
}

pub async fn notes_reach_the_others_in_order(world: World) {
    let Some(bus) = world.store.bus() else { return assert_eq!(world.store.kind(), "sqlite") };
    let other = another(&world).await;
    let mut ears = other.bus().unwrap().listen("b");
    assert_eq!(next(&mut ears).await, BusNews::Gap, "what was told before was not heard");
    let before = world.store.counts();
    let long = "x".repeat(NOTE_BYTES);
    let notes =
        [(None, "1"), (Some("b"), "2"), (Some("c"), "not for b"), (None, "3\"\\ü"), (Some("b"), &long)];
    let notes: Vec<(Option<String>, String)> =
        notes.map(|(to, note)| (to.map(str::to_owned), note.to_owned())).to_vec();
    bus.send(&notes).await.unwrap();
    for expected in ["1", "2", "3\"\\ü", &long] {
        assert_eq!(next(&mut ears).await, told(expected));
    }
    bus.send(&[]).await.unwrap();
    let after = world.store.counts();
    assert_eq!(after.node_statements - before.node_statements, 1, "all of them in one statement");
    assert_eq!(
        (after.statements, after.commits),
        (before.statements, before.commits),
        "they are no part of a turn"
    );
}

pub async fn who_was_cut_off_hears_of_the_gap(world: World) {
    let Some(bus) = world.store.bus() else { return };
    let mut ears = bus.listen("a");
    assert_eq!(next(&mut ears).await, BusNews::Gap);
    assert_eq!(cut(&world, "LISTEN").await, 1);
    assert_eq!(next(&mut ears).await, BusNews::Gap);
    bus.send(&[(None, "again".to_owned())]).await.unwrap();
    assert_eq!(next(&mut ears).await, told("again"));
    ears.reconnect();
    assert_eq!(next(&mut ears).await, BusNews::Gap);
    assert_eq!(cut(&world, "SELECT pg_notify").await, 1);
    let lost = [(None, "lost".to_owned())];
    assert!(bus.send(&lost).await.is_err(), "the caller knows that it was not sent");
    bus.send(&[(None, "sent".to_owned())]).await.unwrap();
    assert_eq!(next(&mut ears).await, told("sent"));
}

pub async fn sealed_words_open_on_their_own_way_only(world: World) {
    let (vault, words) = (world.store.vault(), b"for b alone".as_slice());
    let sealed = vault.seal_note("a/b/1/0", words).unwrap();
    assert_eq!(vault.open_note("a/b/1/0", &sealed).unwrap(), words);
    for other in ["a/b/2/0", "b/a/1/0", "a/c/1/0", ""] {
        assert!(vault.open_note(other, &sealed).is_err(), "{other}");
    }
    assert!(vault.open_note("a/b/1/0", "?").is_err());
    assert_ne!(vault.seal_note("a/b/1/0", words).unwrap(), sealed, "the same words look different each time");
}

pub async fn how_far_logs_have_come_is_asked_for_many_at_once(world: World) {
    let (user, session) = (world.user, world.session);
    let gone = domain::SessionId::from_uuid(crate::world::uuid());
    let (before, after) = world
        .store
        .write(move |tx: &mut Tx| {
            let before = sessions::newest_of(tx, &[session, gone])?;
            drop(sessions::take_seq(tx, user, session, 3, at(1))?);
            Ok((before, sessions::newest_of(tx, &[session])?))
        })
        .await
        .unwrap();
    let [(id, owner, seq)] = before[..] else { panic!("{before:?}") };
    assert_eq!((id, owner), (session, user));
    assert_eq!(after, [(session, user, seq + 3)]);
    if world.store.kind() == "postgres" {
        let read = move |tx: &mut Tx| sessions::newest_of_people(tx, &[user], 2);
        assert_eq!(world.store.read(read).await.unwrap(), [(session, user, seq + 3, 0)]);
    }
}

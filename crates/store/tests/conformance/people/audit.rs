use crate::world::{World, at};
use domain::UserId;
use serde_json::json;
use store::{
    Error, Page, Result, Tx, args,
    audit::{self, AuditEntry},
};

fn entry(user: Option<UserId>, number: i64) -> AuditEntry {
    AuditEntry {
        at: at(number),
        user_id: user,
        actor: "owner".to_owned(),
        action: "agent.create".to_owned(),
        subject: format!("agent {number}"),
        detail: json!({"number": number}),
    }
}

async fn filled(world: &World) {
    for number in 1..=3 {
        let (vault, entry) = (world.store.vault().clone(), entry(Some(world.user), number));
        world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, entry)).await.unwrap();
    }
}

async fn verify(world: &World) -> Result<u64> {
    let vault = world.store.vault().clone();
    world.store.read(move |tx: &mut Tx| audit::verify(tx, &vault)).await
}

fn broken_at(outcome: Result<u64>) -> u64 {
    match outcome {
        Err(Error::Audit { position, .. }) => position,
        other => panic!("the break was not found: {other:?}"),
    }
}

pub async fn entries_form_a_chain_that_verifies(world: World) {
    assert_eq!(verify(&world).await, Ok(0));
    filled(&world).await;
    assert_eq!(verify(&world).await, Ok(3));
}

pub async fn several_entries_at_once_are_links_of_the_same_chain(world: World) {
    filled(&world).await;
    let (vault, user) = (world.store.vault().clone(), Some(world.user));
    let several = vec![entry(user, 4), entry(user, 5), entry(None, 6)];
    world.store.write(move |tx: &mut Tx| audit::append_all(tx, &vault, several)).await.unwrap();
    let vault = world.store.vault().clone();
    world.store.write(move |tx: &mut Tx| audit::append_all(tx, &vault, Vec::new())).await.unwrap();
    assert_eq!(verify(&world).await, Ok(6));
    world.tamper("UPDATE audit SET action = 'nothing' WHERE position = $1", args![5_i64]).await;
    assert_eq!(broken_at(verify(&world).await), 5);
}

pub async fn a_changed_entry_is_found(world: World) {
    filled(&world).await;
    world.tamper("UPDATE audit SET action = 'nothing' WHERE position = $1", args![2_i64]).await;
    assert_eq!(broken_at(verify(&world).await), 2);
}

pub async fn a_removed_entry_is_found(world: World) {
    filled(&world).await;
    world.tamper("DELETE FROM audit WHERE position = $1", args![2_i64]).await;
    assert_eq!(broken_at(verify(&world).await), 2);
}

pub async fn a_cut_off_end_is_found(world: World) {
    filled(&world).await;
    world.tamper("DELETE FROM audit WHERE position = $1", args![3_i64]).await;
    assert_eq!(broken_at(verify(&world).await), 3);
}

/// Takes the last entry away, and makes the head that of before it.
async fn cut(world: &World) {
    world.tamper("DELETE FROM audit WHERE position = $1", args![3_i64]).await;
    let head = "UPDATE audit_head SET position = 2, hash = (SELECT hash FROM audit WHERE position = $1)";
    world.tamper(head, args![2_i64]).await;
}

/// ATTACK: the newest entry goes, and the head says that there was none.
pub async fn a_cut_off_end_with_its_head_is_found(world: World) {
    filled(&world).await;
    cut(&world).await;
    assert_eq!(broken_at(verify(&world).await), 3);
    let (vault, entry) = (world.store.vault().clone(), entry(Some(world.user), 4));
    world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, entry)).await.unwrap();
    assert_eq!(broken_at(verify(&world).await), 4, "what comes later does not cover it");
}

/// ATTACK: the whole log is gone.
pub async fn an_emptied_log_is_found(world: World) {
    filled(&world).await;
    world.tamper("DELETE FROM audit", args![]).await;
    world.tamper("DELETE FROM audit_head", args![]).await;
    assert_eq!(broken_at(verify(&world).await), 1);
}

async fn noted(world: &World) -> Vec<u8> {
    let vault = world.store.vault().clone();
    world.store.read(move |tx: &mut Tx| audit::note(tx, &vault)).await.unwrap()
}

async fn check(world: &World, note: Vec<u8>) -> Result<()> {
    let vault = world.store.vault().clone();
    world.store.read(move |tx: &mut Tx| audit::check_note(tx, &vault, &note)).await
}

/// ATTACK: the newest entry goes, and the head is one that was written before there was one, with its seal.
pub async fn an_older_head_is_known_by_what_was_noted(world: World) {
    let before = noted(&world).await;
    let (vault, first) = (world.store.vault().clone(), entry(None, 1));
    world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, first)).await.unwrap();
    let read = |tx: &mut Tx| tx.one("SELECT hash, seal FROM audit_head", args![]);
    let (hash, seal): (Vec<u8>, Vec<u8>) = world.store.read(read).await.unwrap();
    let between = noted(&world).await;
    let (vault, second) = (world.store.vault().clone(), entry(None, 2));
    world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, second)).await.unwrap();
    let after = noted(&world).await;
    for note in [&before, &between, &after] {
        assert_eq!(check(&world, note.clone()).await, Ok(()));
    }
    world.tamper("DELETE FROM audit WHERE position = $1", args![2_i64]).await;
    world.tamper("UPDATE audit_head SET position = 1, hash = $1, seal = $2", args![hash, seal]).await;
    assert_eq!(verify(&world).await, Ok(1), "the database alone cannot know");
    assert_eq!(check(&world, between.clone()).await, Ok(()), "nor can a machine that was away");
    let gone = check(&world, after.clone()).await;
    assert!(matches!(gone, Err(Error::Audit { position: 2, .. })), "{gone:?}");
    let (vault, other) = (world.store.vault().clone(), entry(None, 3));
    world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, other)).await.unwrap();
    assert!(check(&world, after.clone()).await.is_err(), "another entry in its place is not it");
    let mut forged = after.clone();
    forged[40] ^= 1;
    assert!(matches!(check(&world, forged).await, Err(Error::Crypto { .. })));
    let restored = AuditEntry { action: "house.restored".to_owned(), ..entry(None, 4) };
    let vault = world.store.vault().clone();
    world.store.write(move |tx: &mut Tx| audit::append(tx, &vault, restored)).await.unwrap();
    assert_eq!(check(&world, after).await, Ok(()), "after a restored backup it is gone by right");
}

/// Two programs on one database write one chain.
pub async fn two_nodes_write_one_chain(world: World) {
    let other = store::Store::open(&world.url, world.master.clone()).await.unwrap();
    for number in 1..=6 {
        let store = if number % 2 == 0 { &other } else { &world.store };
        let (vault, entry) = (store.vault().clone(), entry(None, number));
        store.write(move |tx: &mut Tx| audit::append(tx, &vault, entry)).await.unwrap();
    }
    assert_eq!(verify(&world).await, Ok(6));
    other.close().await;
}

pub async fn entries_are_listed_newest_first_and_by_user(world: World) {
    filled(&world).await;
    let (vault, mine) = (world.store.vault().clone(), world.user);
    let (all, own, rest) = world
        .store
        .write(move |tx: &mut Tx| {
            audit::append(tx, &vault, entry(None, 4))?;
            let all = audit::list(tx, &vault, None, Page::first(10))?;
            let own = audit::list(tx, &vault, Some(mine), Page::first(2))?;
            let next = Page { limit: 2, cursor: own.next_cursor.clone() };
            Ok((all, own, audit::list(tx, &vault, Some(mine), next)?))
        })
        .await
        .unwrap();
    assert_eq!((all.total, own.total), (4, 3));
    assert_eq!(all.items, [4, 3, 2, 1].map(|n| entry((n != 4).then_some(mine), n)));
    assert_eq!(own.items, [3, 2].map(|n| entry(Some(mine), n)));
    assert_eq!(rest.items, [entry(Some(mine), 1)]);
    assert_eq!(rest.next_cursor, None);
}

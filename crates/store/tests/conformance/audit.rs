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
        world.store.write(async move |tx: &mut Tx| audit::append(tx, &vault, entry).await).await.unwrap();
    }
}

async fn verify(world: &World) -> Result<u64> {
    world.store.read(async move |tx: &mut Tx| audit::verify(tx).await).await
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
    world.store.write(async move |tx: &mut Tx| audit::append_all(tx, &vault, several).await).await.unwrap();
    let vault = world.store.vault().clone();
    world
        .store
        .write(async move |tx: &mut Tx| audit::append_all(tx, &vault, Vec::new()).await)
        .await
        .unwrap();
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

pub async fn entries_are_listed_newest_first_and_by_user(world: World) {
    filled(&world).await;
    let (vault, mine) = (world.store.vault().clone(), world.user);
    let (all, own, rest) = world
        .store
        .write(async move |tx: &mut Tx| {
            audit::append(tx, &vault, entry(None, 4)).await?;
            let all = audit::list(tx, &vault, None, Page::first(10)).await?;
            let own = audit::list(tx, &vault, Some(mine), Page::first(2)).await?;
            let next = Page { limit: 2, cursor: own.next_cursor.clone() };
            Ok((all, own, audit::list(tx, &vault, Some(mine), next).await?))
        })
        .await
        .unwrap();
    assert_eq!((all.total, own.total), (4, 3));
    assert_eq!(all.items, [4, 3, 2, 1].map(|n| entry((n != 4).then_some(mine), n)));
    assert_eq!(own.items, [3, 2].map(|n| entry(Some(mine), n)));
    assert_eq!(rest.items, [entry(Some(mine), 1)]);
    assert_eq!(rest.next_cursor, None);
}

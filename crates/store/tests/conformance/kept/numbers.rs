//! Small numbers: each is given once.

use crate::world::World;
use domain::UserId;
use std::collections::BTreeSet;
use store::{Error, Result, Tx, numbers};

async fn next(world: &World, owner: UserId, noun: &'static str) -> u64 {
    world.store.write(move |tx: &mut Tx| numbers::next(tx, owner, noun)).await.unwrap()
}

/// Also to those that ask at the same moment.
pub async fn a_number_is_given_once(world: World) {
    let owner = world.user;
    let at_once = (0..20).map(|_| {
        let store = world.store.clone();
        tokio::spawn(async move { store.write(move |tx: &mut Tx| numbers::next(tx, owner, "cup")).await })
    });
    let mut given = BTreeSet::new();
    for asked in at_once.collect::<Vec<_>>() {
        given.insert(asked.await.unwrap().unwrap());
    }
    assert_eq!(given, (1..=20).collect::<BTreeSet<u64>>());
}

pub async fn a_number_is_its_owners_and_its_nouns(world: World) {
    let (stranger, ..) = world.stranger().await;
    assert_eq!(next(&world, world.user, "cup").await, 1);
    assert_eq!(next(&world, world.user, "cup").await, 2);
    assert_eq!(next(&world, world.user, "plate").await, 1);
    assert_eq!(next(&world, stranger, "cup").await, 1);
    assert_eq!(next(&world, world.user, "cup").await, 3);
}

pub async fn what_is_undone_uses_no_number(world: World) {
    let owner = world.user;
    let undone = move |tx: &mut Tx| {
        assert_eq!(numbers::next(tx, owner, "cup")?, 1);
        Err::<(), _>(Error::NotFound)
    };
    let undone: Result<()> = world.store.write(undone).await;
    assert_eq!(undone, Err(Error::NotFound));
    assert_eq!(next(&world, owner, "cup").await, 1);
}

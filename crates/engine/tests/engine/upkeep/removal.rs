//! What is left of a person who was removed: nothing that opens their words.

use crate::world::World;
use domain::{UserId, UserRole};
use engine::{NewPerson, Principal};
use std::path::Path;
use store::{Tx, args};

/// A member of the house with a wrapped key.
async fn member(world: &World, name: &str) -> (UserId, Vec<u8>) {
    let new = NewPerson { name: name.to_owned(), role: UserRole::Member, password: None, time_zone: None };
    let id = world.engine().people().create_person(new).await.unwrap().id;
    let read = move |tx: &mut Tx| tx.one("SELECT data_key FROM users WHERE id = $1", args![id]);
    (id, world.store.read(read).await.unwrap())
}

/// Do these bytes lie in the database's file, or in its log?
fn lie(world: &World, bytes: &[u8]) -> bool {
    let path = world.site.url.strip_prefix("sqlite:").unwrap();
    let holds = |suffix: &str| {
        let file = std::fs::read(Path::new(&format!("{path}{suffix}"))).unwrap_or_default();
        file.windows(bytes.len()).any(|window| window == bytes)
    };
    ["", "-wal", "-shm"].into_iter().any(holds)
}

/// ATTACK: the disk is stolen together with the master key, after a person was removed.
#[tokio::test]
async fn the_key_of_a_removed_person_is_in_no_file_of_the_database() {
    let world = World::new().await;
    let (grace, of_grace) = member(&world, "Grace").await;
    let (_, of_bob) = member(&world, "Bob").await;
    assert!(lie(&world, &of_grace), "the control: it is found as long as she is there");
    let owner = Principal::operator(world.user, UserRole::Owner);
    world.house.on(|engine| async move { engine.remove_user(&owner, grace).await }).await.unwrap();
    assert!(!lie(&world, &of_grace), "her wrapped key outlived her");
    assert!(lie(&world, &of_bob), "and whoever stays keeps theirs");
}

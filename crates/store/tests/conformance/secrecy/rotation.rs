use crate::world::{World, at, new_user, uuid};
use domain::{NodeId, UserRole};
use serde_json::json;
use std::sync::Arc;
use store::{
    Error, Health, KeyFiles, KeyRing, KeyState, MasterKey, NodeKeys, Page, Store, Tx, args, audit,
    nodes::{self, Beat},
    users,
};

/// Enough people for several steps.
const PEOPLE: usize = 40;

async fn populate(world: &World) {
    for number in 0..PEOPLE {
        let (new, vault) =
            (new_user(&format!("person {number}"), UserRole::Member), world.store.vault().clone());
        let create = move |tx: &mut Tx| {
            users::create(tx, &vault, new)?;
            let entry = audit::AuditEntry {
                at: at(0),
                user_id: None,
                actor: "test".to_owned(),
                action: "test".to_owned(),
                subject: "x".to_owned(),
                detail: json!({}),
            };
            audit::append(tx, &vault, entry)
        };
        world.store.write(create).await.unwrap();
    }
}

/// Everything that a master key stands behind: profiles, names, the audit log.
async fn opens(store: &Store) {
    let vault = store.vault().clone();
    let read = move |tx: &mut Tx| {
        let everybody = users::list(tx, &vault)?;
        assert_eq!(everybody.len(), PEOPLE + 1);
        for user in everybody {
            let found = users::by_name(tx, &vault, &user.name)?;
            assert_eq!(found.unwrap().id, user.id);
        }
        audit::verify(tx, &vault)?;
        audit::list(tx, &vault, None, Page { limit: 100, cursor: None })
    };
    assert_eq!(store.read(read).await.unwrap().items.len(), PEOPLE);
}

async fn reopened(world: &World, keys: &[&MasterKey]) -> store::Result<Store> {
    let keys: Vec<MasterKey> = keys.iter().map(|key| (*key).clone()).collect();
    Store::open(&world.url, KeyRing::from(keys)).await
}

pub async fn everything_opens_after_each_step(world: World) {
    populate(&world).await;
    let (old, new) = (world.master.clone(), MasterKey::random().unwrap());
    assert_eq!(world.store.key_state().await.unwrap(), KeyState { current: 1, next: None, retired: 0 });
    assert_eq!(world.store.begin_rotation(&new).await.unwrap(), 2);
    let mut steps = 0;
    loop {
        // As after a crash: nothing is known but what is stored and the keys.
        let store = reopened(&world, &[&old, &new]).await.unwrap();
        opens(&store).await;
        let more = store.rewrap_some().await.unwrap();
        if !more {
            assert!(store.finish_rotation().await.unwrap());
        }
        store.close().await;
        steps += 1;
        if !more {
            break;
        }
    }
    assert!(steps >= 5, "two house keys and {PEOPLE} people take more than {steps} steps");
    let store = reopened(&world, &[&new]).await.unwrap();
    opens(&store).await;
    assert_eq!(store.key_state().await.unwrap(), KeyState { current: 2, next: None, retired: 1 });
    assert_eq!(store.key_version(&new).await.unwrap(), Some(2));
    store.close().await;
    assert_eq!(
        reopened(&world, &[&old]).await.err(),
        Some(Error::WrongMasterKey),
        "the old key is worthless"
    );
}

pub async fn people_may_come_while_keys_change(world: World) {
    populate(&world).await;
    let new = MasterKey::random().unwrap();
    world.store.begin_rotation(&new).await.unwrap();
    world.store.rewrap_some().await.unwrap();
    let (late, vault) = (new_user("latecomer", UserRole::Member), world.store.vault().clone());
    world.store.write(move |tx: &mut Tx| users::create(tx, &vault, late)).await.unwrap();
    while world.store.rewrap_some().await.unwrap() {}
    assert!(world.store.finish_rotation().await.unwrap());
    let store = reopened(&world, &[&new]).await.unwrap();
    let vault = store.vault().clone();
    let found = store.read(move |tx: &mut Tx| users::by_name(tx, &vault, "latecomer")).await;
    assert!(found.unwrap().is_some());
}

pub async fn a_change_is_not_finished_too_soon(world: World) {
    populate(&world).await;
    world.store.begin_rotation(&MasterKey::random().unwrap()).await.unwrap();
    assert!(!world.store.finish_rotation().await.unwrap());
    assert_eq!(world.store.key_state().await.unwrap(), KeyState { current: 1, next: Some(2), retired: 0 });
}

pub async fn a_begun_change_keeps_its_key(world: World) {
    let (first, second) = (MasterKey::random().unwrap(), MasterKey::random().unwrap());
    assert_eq!(world.store.begin_rotation(&first).await.unwrap(), 2);
    assert_eq!(world.store.begin_rotation(&first).await.unwrap(), 2, "the same again");
    // Nothing is wrapped by the first yet, so it may still be exchanged.
    world.store.begin_rotation(&second).await.unwrap();
    assert!(world.store.rewrap_some().await.unwrap());
    let refused = world.store.begin_rotation(&first).await.unwrap_err();
    assert!(matches!(refused, Error::KeyFile(_)), "{refused}");
    let refused = world.store.begin_rotation(&world.master).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(_)), "{refused}");
}

/// Two processes have the database, and one of them changes the master key.
pub async fn a_key_that_was_changed_elsewhere_is_no_damage(world: World) {
    populate(&world).await;
    let other = reopened(&world, &[&world.master]).await.unwrap();
    assert_eq!(other.health().await, Health::Good);
    let new = MasterKey::random().unwrap();
    world.store.begin_rotation(&new).await.unwrap();
    while world.store.rewrap_some().await.unwrap() {}
    assert!(world.store.finish_rotation().await.unwrap());
    let refused = other.data_key(world.user).await.unwrap_err();
    assert_eq!(refused, Error::NewerMasterKey { version: 2 });
    assert!(refused.is_transient(), "the same may work when the key is there");
    assert_eq!(other.health().await, Health::LacksKey, "people are better served elsewhere");
    // The control: with the key it is fit again.
    let whole = reopened(&world, &[&new]).await.unwrap();
    whole.data_key(world.user).await.unwrap();
    assert_eq!(whole.health().await, Health::Good);
    // A version that no master key ever had is damage, and of this one person.
    let forge = "UPDATE users SET data_key = $2 WHERE id = $1";
    let mut wrapped: Vec<u8> = {
        let (user, sql) = (world.user, "SELECT data_key FROM users WHERE id = $1");
        whole.read(move |tx: &mut Tx| tx.one(sql, args![user])).await.unwrap()
    };
    wrapped[1] = 7;
    world.tamper(forge, args![world.user, wrapped]).await;
    let fresh = reopened(&world, &[&new]).await.unwrap();
    let refused = fresh.data_key(world.user).await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "users", column: "data_key" });
    assert_eq!(fresh.health().await, Health::Good);
}

/// The other node has only the old key, and gets the new one through the database.
pub async fn another_node_takes_the_key_that_it_is_handed(world: World) {
    populate(&world).await;
    let folder = tempfile::tempdir().unwrap();
    let files = KeyFiles::new(folder.path().join("master.key"));
    files.accept(&world.master).unwrap();
    files.promote().unwrap();
    let (first, other) = (&world.store, reopened(&world, &[&world.master]).await.unwrap());
    assert!(!other.take_handed_key(&files).await.unwrap(), "there is none");
    let next = MasterKey::random().unwrap();
    let version = first.note_next_key(&next).await.unwrap();
    assert_eq!(first.own_keys(true), NodeKeys { in_file: true, opens: 2, wraps: 1 });
    if world.store.kind() == "sqlite" {
        // Nothing is handed to others where there are none.
        assert!(!other.take_handed_key(&files).await.unwrap());
        assert!(!first.is_handed(version).await.unwrap());
        return;
    }
    assert!(first.is_handed(version).await.unwrap() && !first.is_handed(version - 1).await.unwrap());
    let backup = folder.path().join("backup");
    let made = store::backup::make(first, &backup, at(0), &Arc::default()).await.unwrap();
    let saved = made.parts.iter().find(|part| part.table == "handed_keys").map(|part| part.rows);
    assert_eq!(saved, Some(0), "a key that is on its way is in no backup");
    assert!(other.take_handed_key(&files).await.unwrap());
    assert!(!other.take_handed_key(&files).await.unwrap(), "once");
    assert_eq!(other.own_keys(true), NodeKeys { in_file: true, opens: version, wraps: 1 });
    assert!(!other.promote_handed_key(&files).await.unwrap(), "it is not the current one");
    first.begin_rotation(&next).await.unwrap();
    while first.rewrap_some().await.unwrap() {}
    assert!(first.finish_rotation().await.unwrap());
    assert!(other.promote_handed_key(&files).await.unwrap());
    assert!(!other.promote_handed_key(&files).await.unwrap(), "once");
    assert_eq!(other.own_keys(true), NodeKeys { in_file: true, opens: version, wraps: version });
    // What is in the file opens the database, alone.
    let now = MasterKey::load(files.current()).unwrap().unwrap();
    assert_eq!(first.key_version(&now).await.unwrap(), Some(version));
    assert!(MasterKey::load(&files.next()).unwrap().is_none());
    opens(&reopened(&world, &[&now]).await.unwrap()).await;
    first.end_handing().await.unwrap();
    assert!(!first.is_handed(version).await.unwrap());
}

/// Who changes the key sees which nodes can take it.
pub async fn nodes_say_which_keys_they_have(world: World) {
    let [one, two, old] = [(); 3].map(|()| NodeId::from_uuid(uuid()));
    for node in [one, two, old] {
        let beat = Beat {
            node,
            boot: "boot".to_owned(),
            lease_ms: 15_000,
            clock: at(1_000),
            grace_ms: 3_000,
            draining: false,
            backs_up: true,
        };
        world.store.urgent(move |tx: &mut Tx| nodes::register(tx, &beat, "machine", "1.2.3")).await.unwrap();
    }
    let keys = NodeKeys { in_file: false, opens: 2, wraps: 1 };
    world.store.note_keys(one, keys).await.unwrap();
    world.store.note_keys(two, NodeKeys::BRIEF).await.unwrap();
    world.store.note_keys(two, NodeKeys { opens: 3, ..keys }).await.unwrap();
    let mut seen = world.store.other_keys(one, at(1_000)).await.unwrap();
    seen.sort_by_key(|node| node.opens);
    let seen: Vec<_> = seen.iter().map(|node| (node.id, node.in_file, node.opens, node.wraps)).collect();
    assert_eq!(seen, [(old, None, None, None), (two, Some(false), Some(3), Some(1))]);
}

/// A database of before the house had keys of its own: they were made of the master key.
pub async fn an_old_house_keeps_its_keys(world: World) {
    populate(&world).await;
    let check = "SELECT check_value FROM master_keys WHERE version = 1";
    let check: Vec<u8> = world.store.read(move |tx: &mut Tx| tx.one(check, vec![])).await.unwrap();
    world.tamper("INSERT INTO meta (name, value) VALUES ('key_check', $1)", args![check]).await;
    world.tamper("DELETE FROM master_keys", vec![]).await;
    world.tamper("DELETE FROM meta WHERE name IN ('house_key', 'digest_key')", vec![]).await;
    world.store.close().await;
    let again = MasterKey::random().unwrap();
    assert_eq!(reopened(&world, &[&again]).await.err(), Some(Error::WrongMasterKey));
    let first = reopened(&world, &[&world.master]).await.unwrap();
    let vault = first.vault().clone();
    let index = vault.name_index("users", "", "ada");
    first.close().await;
    let second = reopened(&world, &[&world.master]).await.unwrap();
    assert_eq!(
        second.vault().name_index("users", "", "ada"),
        index,
        "the keys were noted at the first start"
    );
}

use crate::{
    turns::waiting::{OVER, count, wait_for_something},
    world::{World, at, new_message, turn_id, uuid},
};
use domain::{
    AccountLink, AccountLinkId, ApiKey, ApiKeyId, LoginId, Role, Scope, SessionLink, SessionLinkId, Source,
    TurnId, TurnStatus, UserRole,
};
use serde_json::Value;
use std::{path::Path, sync::Arc};
use store::{
    Error, KeyRing, MasterKey, Page, Store, Tx, account_links, api_keys, args,
    audit::{self, AuditEntry},
    backup::{self, ClosedAccess, Halted, Manifest, Progress, Restoring},
    log::Entry,
    logins::{self, NewLogin},
    messages, session_links, sessions,
    turns::{self, NewTurn},
};
use tempfile::TempDir;

async fn some_messages(world: &World, count: usize) -> TurnId {
    let turn = turn_id();
    let message = |number| Entry::Message(new_message(turn, Role::User, &format!("message {number}")));
    world.append((0..count).map(message).collect()).await;
    turn
}

async fn make(store: &Store, path: &Path) -> store::Result<Manifest> {
    backup::make(store, path, at(0), &Arc::new(Progress::default())).await
}

async fn restore(path: &Path, url: &str, key: &MasterKey, force: bool) -> store::Result<backup::Restored> {
    let how = Restoring { keys: KeyRing::from(key.clone()), at: at(99), force, keep_keys: true };
    backup::restore(path, url, &how, &Arc::new(Progress::default())).await
}

/// A fresh SQLite database, and a fresh PostgreSQL one if there is a server.
fn elsewhere(folder: &TempDir, name: &str) -> Vec<String> {
    let file = format!("sqlite:{}", folder.path().join(name).display());
    let cluster = testkit::postgres::Cluster::shared().unwrap();
    std::iter::once(file).chain(cluster.map(|cluster| cluster.database().unwrap())).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What each table holds, but for the audit log, which says that it was restored.
fn contents(manifest: &Manifest) -> Vec<(&str, u64, &str)> {
    let parts = manifest.parts.iter().filter(|part| !part.table.starts_with("audit"));
    parts.map(|part| (part.table.as_str(), part.rows, part.sum.as_str())).collect()
}

pub async fn a_backup_restores_into_either_kind(world: World) {
    let turn = some_messages(&world, 1_200).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let made = make(&world.store, &path).await.unwrap();
    assert_eq!(made.kind, world.store.kind());
    assert_eq!(files(folder.path()), ["b"], "neither a draft nor a temporary database is left");
    assert!(make(&world.store, &path).await.unwrap_err().to_string().contains("already exists"));
    for url in elsewhere(&folder, "m.db") {
        restore(&path, &url, &world.master, false).await.unwrap();
        let there = Store::open(&url, world.master.clone()).await.unwrap();
        let key = there.data_key(world.user).await.unwrap();
        let read = move |tx: &mut Tx| messages::of_turn(tx, &key, turn);
        let found = there.read(read).await.unwrap();
        assert_eq!((found.len(), found[7].content.as_str()), (1_200, "message 7"));
        let again = make(&there, &folder.path().join(format!("b2 {}", there.kind()))).await.unwrap();
        assert_eq!(contents(&again), contents(&made), "into {}", there.kind());
        // The references are back: a session of nobody is refused.
        let stray = "UPDATE sessions SET user_id = 'nobody'";
        let refused = there.write(move |tx: &mut Tx| tx.run(stray, vec![])).await.unwrap_err();
        assert!(matches!(refused, Error::Constraint(_)), "{refused}");
        there.close().await;
    }
}

pub async fn a_backup_under_load_is_one_moment(world: World) {
    some_messages(&world, 500).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let world = Arc::new(world);
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let writing = tokio::spawn({
        let world = world.clone();
        async move {
            let mut written = 0;
            while !*stopped.borrow() {
                some_messages(&world, 3).await;
                written += 1;
            }
            written
        }
    });
    let made = make(&world.store, &path).await.unwrap();
    stop.send(true).unwrap();
    let written: usize = writing.await.unwrap();
    assert!(written > 0, "nothing was written meanwhile");
    let url = elsewhere(&folder, "m.db").remove(0);
    assert_eq!(restore(&path, &url, &world.master, false).await.unwrap().manifest.checksum, made.checksum);
    let there = Store::open(&url, world.master.clone()).await.unwrap();
    // The session's number, its events and its messages were written together.
    let count =
        "SELECT last_seq, (SELECT COUNT(*) FROM events), (SELECT COUNT(*) FROM messages) FROM sessions";
    let (last, events, messages): (u64, u64, u64) =
        there.read(move |tx: &mut Tx| tx.one(count, vec![])).await.unwrap();
    assert_eq!((last, last), (events, messages));
    assert_eq!((last - 500) % 3, 0, "half of a transaction is in the backup");
}

pub async fn a_flipped_bit_is_found_and_named(world: World) {
    some_messages(&world, 50).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let made = make(&world.store, &path).await.unwrap();
    let whole = std::fs::read(&path).unwrap();
    let target = format!("sqlite:{}", folder.path().join("m.db").display());
    let part = |table: &str| made.parts.iter().find(|part| part.table == table).unwrap();
    let end = whole.len() as u64;
    let cases = [
        (3, "not a backup of this program"),
        (part("messages").offset + 40, "table messages"),
        (part("users").offset + 1, "table users"),
        (part("audit_head").offset.max(20) - 1, "table audit"),
        (end - 100, "manifest"),
        (end - 45, "manifest"),
        (end - 20, "manifest"),
        (end - 2, "its end"),
    ];
    for (place, named) in cases {
        let mut flipped = whole.clone();
        flipped[usize::try_from(place).unwrap()] ^= 4;
        // An empty table has no byte to flip.
        if named == "table audit" && part("audit").bytes == 0 {
            continue;
        }
        std::fs::write(&path, flipped).unwrap();
        let refused = restore(&path, &target, &world.master, false).await.unwrap_err().to_string();
        assert!(refused.contains("is damaged") && refused.contains(named), "byte {place}: {refused}");
    }
    for length in [0, 10, 60, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let refused = restore(&path, &target, &world.master, false).await.unwrap_err().to_string();
        assert!(refused.contains("is damaged"), "cut to {length}: {refused}");
    }
    assert!(!folder.path().join("m.db").exists(), "nothing is left of what was refused");
    std::fs::write(&path, whole).unwrap();
    restore(&path, &target, &world.master, false).await.unwrap();
}

pub async fn what_is_there_is_not_overwritten_by_accident(world: World) {
    let turn = some_messages(&world, 5).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    make(&world.store, &path).await.unwrap();
    some_messages(&world, 5).await;
    world.store.close().await;
    let refused = restore(&path, &world.url, &world.master, false).await.unwrap_err();
    assert!(refused.to_string().contains("not empty"), "{refused}");
    let stranger = MasterKey::random().unwrap();
    let refused = restore(&path, &world.url, &stranger, true).await.err();
    assert_eq!(refused, Some(Error::WrongMasterKey), "it could never be opened");
    let restored = restore(&path, &world.url, &world.master, true).await.unwrap();
    let store = Store::open(&world.url, world.master.clone()).await.unwrap();
    let key = store.data_key(world.user).await.unwrap();
    let read = move |tx: &mut Tx| messages::of_turn(tx, &key, turn);
    assert_eq!(store.read(read).await.unwrap().len(), 5);
    let count = "SELECT COUNT(*) FROM messages";
    assert_eq!(store.read(move |tx: &mut Tx| tx.one::<u64>(count, vec![])).await, Ok(5));
    let Some(aside) = restored.aside else { return assert_eq!(store.kind(), "postgres") };
    let old = Store::open(&format!("sqlite:{}", aside.display()), world.master.clone()).await.unwrap();
    assert_eq!(old.read(move |tx: &mut Tx| tx.one::<u64>(count, vec![])).await, Ok(10));
}

pub async fn inspecting_changes_nothing(world: World) {
    let found = store::inspect(&world.url).await.unwrap();
    assert_eq!((found.versions, found.is_empty), (store::schema_versions(), false));
    let folder = tempfile::tempdir().unwrap();
    let nowhere = format!("sqlite:{}", folder.path().join("none.db").display());
    let found = store::inspect(&nowhere).await.unwrap();
    assert!(found.is_empty && found.versions.is_empty());
    assert_eq!(files(folder.path()), Vec::<String>::new());
    world.tamper("INSERT INTO schema_version (version) VALUES ($1)", args![999_i64]).await;
    world.tamper("UPDATE schema_floor SET version = $1", args![999_i64]).await;
    let newer = store::inspect(&world.url).await.unwrap().check_known().unwrap_err();
    assert_eq!(newer, Error::NewerSchema { found: 999, known: store::schema_version() });
}

/// A login, a key, a link for a password and one to a conversation that count when the backup is made.
async fn ways_in_made(world: &World) {
    let (user, key, session) = (world.user, world.key.clone(), world.session);
    let vault = world.store.vault().clone();
    let write = move |tx: &mut Tx| {
        let link = AccountLink {
            id: AccountLinkId::from_uuid(uuid()),
            made_by: user,
            user_id: Some(user),
            role: UserRole::Owner,
            created_at: at(1),
            expires_at: at(9_999),
        };
        account_links::create(tx, &link, [3; 32], 9)?;
        let id = SessionLinkId::from_uuid(uuid());
        let link = SessionLink {
            id,
            session_id: session,
            up_to_seq: 1,
            created_at: at(1),
            secret: "shown".to_owned(),
        };
        session_links::create(tx, &vault, &key, user, &link, None, 9)?;
        let id = LoginId::from_uuid(uuid());
        let login =
            NewLogin { id, user_id: user, secret_hash: [1; 32], user_agent: None, address: None, at: at(1) };
        logins::create(tx, &key, login)?;
        let (id, name) = (ApiKeyId::from_uuid(uuid()), "laptop".to_owned());
        let new = ApiKey {
            id,
            user_id: user,
            name,
            scope: Scope::Full,
            source: None,
            expires_at: None,
            created_at: at(1),
        };
        api_keys::create(tx, &key, &new, [2; 32])
    };
    world.store.write(write).await.unwrap();
}

/// Whether the login, the links and the key count, and how many entries the audit log has.
async fn ways_in(store: &Store) -> ([bool; 4], u64) {
    let vault = store.vault().clone();
    let read = move |tx: &mut Tx| {
        let login = logins::by_hash(tx, [1; 32])?.is_some();
        let key = api_keys::by_hash(tx, [2; 32])?.is_some();
        let account = account_links::by_hash(tx, [3; 32], at(99))?.is_some();
        let shown = session_links::by_secret(tx, &vault, "shown")?.is_some();
        Ok(([login, account, shown, key], audit::verify(tx, &vault)?))
    };
    store.read(read).await.unwrap()
}

/// THREAT[backup-01]
pub async fn a_restored_database_lets_nobody_in_whom_it_knew(world: World) {
    ways_in_made(&world).await;
    let before = ways_in(&world.store).await;
    assert_eq!(before.0, [true; 4]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    make(&world.store, &path).await.unwrap();
    for (keep_keys, keys) in [(false, 1), (true, 0)] {
        let ended = ClosedAccess { logins: 1, keys, account_links: 1, session_links: 1 };
        for url in elsewhere(&folder, &format!("{keep_keys}.db")) {
            let keys = KeyRing::from(world.master.clone());
            let how = Restoring { keys, at: at(99), force: false, keep_keys };
            let restored = backup::restore(&path, &url, &how, &Arc::new(Progress::default())).await.unwrap();
            assert_eq!(restored.ended, ended);
            let there = Store::open(&url, world.master.clone()).await.unwrap();
            let there_are = ([false, false, false, keep_keys], before.1 + 1);
            assert_eq!(ways_in(&there).await, there_are, "into {}", there.kind());
            let vault = there.vault().clone();
            let newest = move |tx: &mut Tx| audit::list(tx, &vault, None, Page::first(1));
            assert_eq!(there.read(newest).await.unwrap().items[0].action, "house.restored");
            there.close().await;
        }
    }
}

/// THREAT[backup-02]
pub async fn a_restored_database_goes_on_with_nothing(world: World) {
    let turns = [TurnStatus::Running, TurnStatus::Parked, TurnStatus::Queued, TurnStatus::Ended];
    // A session has one turn that runs or waits for a person.
    let elsewhere_parked = world.stranger().await.3;
    for (position, status) in turns.into_iter().enumerate() {
        let session_id = if status == TurnStatus::Parked { elsewhere_parked } else { world.session };
        let turn = NewTurn {
            id: turn_id(),
            session_id,
            user_id: world.user,
            position: position as u64 + 1,
            source: Source::Web,
            status,
            owner: None,
            epoch: 3,
            lease_until: Some(at(1)),
            state: None,
            at: at(0),
        };
        let key = world.key.clone();
        world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &turn)).await.unwrap();
    }
    wait_for_something(&world).await;
    let (user, session) = (world.user, world.session);
    let deleted = move |tx: &mut Tx| sessions::mark_deleted(tx, user, session, at(5));
    assert!(world.store.write(deleted).await.unwrap());
    crate::schedules::plant(&world, "Look.").await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    make(&world.store, &path).await.unwrap();
    for url in elsewhere(&folder, "m.db") {
        let restored = restore(&path, &url, &world.master, false).await.unwrap();
        assert_eq!((restored.halted.turns, restored.halted.deletions, restored.halted.schedules), (3, 1, 1));
        let there = Store::open(&url, world.master.clone()).await.unwrap();
        assert_eq!(
            there.read(|tx: &mut Tx| sessions::due(tx, at(9_999), 5)).await.unwrap(),
            [],
            "what was deleted"
        );
        let due =
            there.read(|tx: &mut Tx| store::schedules::due(tx, at(i64::from(u32::MAX)), 5)).await.unwrap();
        assert_eq!(due, [], "into {}", there.kind());
        let marked = "SELECT status, restored, epoch FROM turns WHERE lease_until IS NULL ORDER BY position";
        let marked: Vec<(String, u64, u64)> =
            there.read(move |tx: &mut Tx| tx.all(marked, vec![])).await.unwrap();
        let found: Vec<_> =
            marked.iter().map(|(status, restored, epoch)| (status.as_str(), *restored, *epoch)).collect();
        assert_eq!(found, [("running", 1, 4), ("running", 1, 4), ("queued", 1, 4)], "into {}", there.kind());
        for (what, status) in OVER {
            assert_eq!(count(&there, what).await, 0, "{what}, into {}", there.kind());
            assert_eq!(count(&there, status).await, 1, "{status}, into {}", there.kind());
        }
        assert_eq!(count(&there, "errands WHERE due IS NOT NULL").await, 0, "into {}", there.kind());
        there.close().await;
    }
    // The control: looking at a backup changes nothing of it.
    let checked = backup::check(&path, &Arc::new(Progress::default())).await.unwrap();
    assert_eq!(checked.rows, make(&world.store, &folder.path().join("b2")).await.unwrap().rows);
}

/// Another machine has noted an entry that the backup does not have: that it is gone by right is told even by a restore that
/// has nothing to end.
pub async fn what_was_noted_is_gone_by_right_after_a_restore(world: World) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    make(&world.store, &path).await.unwrap();
    let vault = world.store.vault().clone();
    let entry = AuditEntry {
        at: at(1),
        user_id: None,
        actor: "owner".to_owned(),
        action: "agent.create".to_owned(),
        subject: "agent".to_owned(),
        detail: Value::Null,
    };
    let write = move |tx: &mut Tx| {
        audit::append(tx, &vault, entry)?;
        audit::note(tx, &vault)
    };
    let note = world.store.write(write).await.unwrap();
    for url in elsewhere(&folder, "m.db") {
        let restored = restore(&path, &url, &world.master, false).await.unwrap();
        assert_eq!((restored.ended, restored.halted), (ClosedAccess::default(), Halted::default()));
        let there = Store::open(&url, world.master.clone()).await.unwrap();
        let (vault, note) = (there.vault().clone(), note.clone());
        let look = move |tx: &mut Tx| {
            audit::verify(tx, &vault)?;
            audit::check_note(tx, &vault, &note)
        };
        assert_eq!(there.read(look).await, Ok(()), "into {}", there.kind());
        there.close().await;
    }
}

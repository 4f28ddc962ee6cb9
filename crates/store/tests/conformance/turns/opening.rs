//! Opening a database that is new, known, newer, or of another program.

use crate::world::World;
use std::{os::unix::fs::PermissionsExt, sync::Arc};
use store::{Error, MasterKey, Store, Tx, args};

async fn reopens(world: World) {
    world.store.close().await;
    for _ in 0..3 {
        let store = Store::open(&world.url, world.master.clone()).await.unwrap();
        let count = |tx: &mut Tx| tx.one::<u64>("SELECT COUNT(*) FROM schema_version", vec![]);
        assert_eq!(store.read(count).await, Ok(store::schema_versions().len() as u64));
        assert_eq!(store.data_key(world.user).await.unwrap().owner(), world.user);
        store.close().await;
    }
}

async fn nodes_open_together(url: String) {
    let master = MasterKey::random().unwrap();
    let mut nodes = Vec::new();
    for _ in 0..4 {
        let (url, master) = (url.clone(), master.clone());
        nodes.push(tokio::spawn(async move { Store::open(&url, master).await }));
    }
    for node in nodes {
        node.await.unwrap().unwrap().close().await;
    }
}

async fn refuses_a_newer_schema(world: World) {
    world.tamper("INSERT INTO schema_version (version) VALUES ($1)", args![999_i64]).await;
    world.tamper("UPDATE schema_floor SET version = $1", args![999_i64]).await;
    world.store.close().await;
    let refused = Store::open(&world.url, world.master.clone()).await.err().unwrap();
    assert_eq!(refused, Error::NewerSchema { found: 999, known: store::schema_version() });
    assert!(refused.to_string().contains("newer majordomo"), "{refused}");
}

/// A newer node has worked on it and left what this one needs. Where there is one program at a time, none starts that does not know everything.
async fn passes_a_newer_schema_that_it_may_work_on(world: World) {
    world.tamper("INSERT INTO schema_version (version) VALUES ($1)", args![999_i64]).await;
    world.store.close().await;
    let inspected = store::inspect(&world.url).await.unwrap().check_known();
    let newer = Error::NewerSchema { found: 999, known: store::schema_version() };
    let store = match Store::open(&world.url, world.master.clone()).await {
        Err(refused) => {
            return assert_eq!(
                (world.store.kind(), refused, inspected),
                ("sqlite", newer.clone(), Err(newer))
            );
        }
        Ok(store) => store,
    };
    assert_eq!((store.kind(), inspected), ("postgres", Ok(())));
    // What it does not know it cannot save.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.backup");
    let made = store::backup::make(&store, &path, domain::Timestamp::from_millis(1), &Arc::default()).await;
    assert_eq!(made.unwrap_err(), newer);
}

async fn refuses_another_key(world: World) {
    world.store.close().await;
    let refused = Store::open(&world.url, MasterKey::random().unwrap()).await.err();
    assert_eq!(refused, Some(Error::WrongMasterKey));
    Store::open(&world.url, world.master.clone()).await.unwrap();
}

macro_rules! on_both {
    ($($name:ident),*) => {
        mod sqlite {$(
            #[tokio::test]
            async fn $name() {
                super::$name(super::World::on_sqlite().await).await;
            }
        )*}

        mod postgres {$(
            #[tokio::test]
            async fn $name() {
                if let Some(world) = super::World::on_postgres().await {
                    super::$name(world).await;
                }
            }
        )*}
    };
}
on_both!(reopens, refuses_a_newer_schema, passes_a_newer_schema_that_it_may_work_on, refuses_another_key);

#[tokio::test]
async fn several_processes_migrate_one_sqlite_file() {
    let folder = tempfile::tempdir().unwrap();
    nodes_open_together(format!("sqlite:{}", folder.path().join("m.db").display())).await;
}

#[tokio::test]
async fn several_nodes_migrate_one_postgres_database() {
    let Some(cluster) = testkit::postgres::Cluster::shared().unwrap() else { return };
    nodes_open_together(cluster.database().unwrap()).await;
}

#[tokio::test]
async fn the_file_is_its_owners_alone() {
    let world = World::on_sqlite().await;
    let folder = world.folder.as_ref().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
    }
    world.store.close().await;
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["majordomo.db"], "a clean close leaves no log behind");
}

#[tokio::test]
async fn an_address_that_is_none_is_refused() {
    for url in ["", "sqlite:", "sqlite::memory:", "mysql://x", "/tmp/x.db"] {
        let refused = Store::open(url, MasterKey::random().unwrap()).await.err();
        assert_eq!(refused, Some(Error::BadUrl), "{url}");
    }
    let nowhere = Store::open("sqlite:/nowhere/at/all.db", MasterKey::random().unwrap()).await.err().unwrap();
    assert!(nowhere.is_transient() && nowhere.to_string().contains("/nowhere/at/all.db"), "{nowhere}");
}

//! A log of before its chain had a key.

use super::*;
use crate::{
    KeyRing, MasterKey, Store,
    crypto::key_ring,
    database::{Database, migrate},
};
use serde_json::json;

fn entry(number: i64) -> AuditEntry {
    AuditEntry {
        at: Timestamp::from_millis(number),
        user_id: None,
        actor: "owner".to_owned(),
        action: "agent.create".to_owned(),
        subject: format!("agent {number}"),
        detail: json!({ "number": number }),
    }
}

/// As it was in a database of before the chain had a key; the key comes when it is opened for work.
fn append_without_key(tx: &mut Tx, vault: &Vault, entry: AuditEntry) -> Result<()> {
    let take = "INSERT INTO audit_head (id, position, hash) VALUES (1, 1, $1) \
                ON CONFLICT (id) DO UPDATE SET position = audit_head.position + 1 RETURNING position, hash";
    let (last, previous): (u64, [u8; 32]) = tx.one(take, args![GENESIS])?;
    let hash = insert(tx, vault, vec![entry], last.saturating_sub(1), previous, None)?;
    tx.run("UPDATE audit_head SET hash = $1 WHERE id = 1", args![hash])?;
    Ok(())
}

/// Three entries, written by the program of then.
async fn old_log(url: &str, master: &MasterKey) {
    let database = Database::open(url).await.unwrap();
    let keys = KeyRing::from(master.clone());
    let write = move |tx: &mut Tx| {
        migrate::begin(tx)?;
        for version in migrate::schema_versions().into_iter().filter(|version| *version < KEYED_SINCE) {
            migrate::take(tx, version)?;
        }
        let vault = key_ring::open(tx, &keys)?;
        for number in 1..=3 {
            append_without_key(tx, &vault, entry(number))?;
        }
        Ok(())
    };
    database.write::<_, Error, _>(write).await.unwrap();
    database.close().await;
}

async fn verified(store: &Store) -> Result<u64> {
    let vault = store.vault().clone();
    store.read(move |tx: &mut Tx| verify(tx, &vault)).await
}

async fn tamper(store: &Store, sql: &'static str) {
    assert!(store.write(move |tx: &mut Tx| tx.run(sql, args![])).await.unwrap() > 0, "{sql}");
}

async fn goes_on_with_a_key(url: String) {
    let master = MasterKey::random().unwrap();
    old_log(&url, &master).await;
    let store = Store::open(&url, master.clone()).await.unwrap();
    assert_eq!(verified(&store).await, Ok(3));
    let vault = store.vault().clone();
    store.write(move |tx: &mut Tx| append(tx, &vault, entry(4))).await.unwrap();
    assert_eq!(verified(&store).await, Ok(4));
    let vault = store.vault().clone();
    let listed = store.read(move |tx: &mut Tx| list(tx, &vault, None, Page::first(9))).await;
    assert_eq!(listed.unwrap().items, [4, 3, 2, 1].map(entry), "and everything can be read");
    // ATTACK: an old entry is changed, and everything behind it is linked anew, as far as that goes without the key.
    relink_without_key(&store).await;
    let found = verified(&store).await;
    assert!(matches!(found, Err(Error::Audit { position: 4, .. })), "{found:?}");
    // ATTACK: the log is made one of before there was a key.
    tamper(&store, "UPDATE audit_head SET keyed_after = position").await;
    relink_without_key(&store).await;
    let head = "UPDATE audit_head SET hash = (SELECT hash FROM audit ORDER BY position DESC LIMIT 1)";
    tamper(&store, head).await;
    let found = verified(&store).await;
    assert!(matches!(found, Err(Error::Audit { position: 5, .. })), "{found:?}");
    // Nor is it sealed when an attacker takes the seal away and the program starts again.
    tamper(&store, "UPDATE audit_head SET seal = NULL").await;
    store.close().await;
    let store = Store::open(&url, master).await.unwrap();
    let vault = store.vault().clone();
    store.write(move |tx: &mut Tx| append(tx, &vault, entry(5))).await.unwrap();
    assert!(verified(&store).await.is_err());
    store.close().await;
}

/// Changes the second entry, and links what was linked without a key.
async fn relink_without_key(store: &Store) {
    let write = |tx: &mut Tx| {
        tx.run("UPDATE audit SET action = 'nothing' WHERE position = 2", args![])?;
        let keyed_after: u64 = tx.one("SELECT keyed_after FROM audit_head", args![])?;
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE position <= $1 ORDER BY position");
        let mut previous = GENESIS;
        for mut row in tx.all::<AuditRow>(&sql, args![keyed_after])? {
            row.previous = previous;
            previous = row.digest(None);
            let set = "UPDATE audit SET previous = $2, hash = $3 WHERE position = $1";
            tx.run(set, args![row.position, row.previous, previous])?;
        }
        Ok(())
    };
    store.write(write).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_log_goes_on_with_a_key() {
    let folder = tempfile::tempdir().unwrap();
    goes_on_with_a_key(format!("sqlite:{}", folder.path().join("old.db").display())).await;
    let Some(cluster) = testkit::postgres::Cluster::shared().unwrap() else { return };
    goes_on_with_a_key(cluster.database().unwrap()).await;
}

/// ATTACK: the newest entry is changed, and its link and the head are made anew, as far as that goes without the key.
async fn needs_the_key(url: String) {
    let store = Store::open(&url, MasterKey::random().unwrap()).await.unwrap();
    let vault = store.vault().clone();
    let write = move |tx: &mut Tx| append_all(tx, &vault, vec![entry(1), entry(2)]);
    store.write(write).await.unwrap();
    assert_eq!(verified(&store).await, Ok(2));
    let forge = |tx: &mut Tx| {
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE position = 2");
        let row: AuditRow = tx.one(&sql, args![])?;
        let row = AuditRow { action: "nothing".to_owned(), ..row };
        let hash = row.digest(None);
        tx.run("UPDATE audit SET action = $1, hash = $2 WHERE position = 2", args![row.action, hash])?;
        tx.run("UPDATE audit_head SET hash = $1", args![hash])
    };
    store.write(forge).await.unwrap();
    let found = verified(&store).await;
    assert_eq!(found, Err(Error::Audit { position: 2, reason: "it was changed" }));
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_link_is_made_without_the_key() {
    let folder = tempfile::tempdir().unwrap();
    needs_the_key(format!("sqlite:{}", folder.path().join("new.db").display())).await;
    let Some(cluster) = testkit::postgres::Cluster::shared().unwrap() else { return };
    needs_the_key(cluster.database().unwrap()).await;
}

//! A database as the first version left it, before a newer program opens it.

use super::*;
use crate::{
    MasterKey, Store, Vault, args, backup::make_of, crypto::seal::CellPlace, database::migrate, users,
};
use domain::{Timestamp, UserId};
use std::collections::BTreeMap;

const NAME: &str = "Ada";

async fn first_version(url: &str, master: &MasterKey) -> UserId {
    let wrapping = BTreeMap::from([(1, master.wrapping_key().unwrap())]);
    let house = master.first_house_key().unwrap();
    let vault = Vault::new(wrapping, 1, house, &master.first_digest_key().unwrap()).unwrap();
    let (user, check) = (UserId::from_uuid(uuid::Uuid::from_u128(7)), master.check_value().unwrap());
    let key = vault.new_data_key(user).unwrap();
    let profile = serde_json::json!({ "name": NAME, "time_zone": "UTC", "language": "en" });
    let profile = key.seal_json(CellPlace::new("users", "profile", &user), &profile).unwrap();
    let (index, wrapped) = (vault.name_index("users", "", NAME), vault.wrap(&key).unwrap().bytes);
    let database = Database::open(url).await.unwrap();
    let write = move |tx: &mut Tx| {
        migrate::begin(tx)?;
        migrate::take(tx, 1)?;
        tx.run("INSERT INTO meta (name, value) VALUES ('key_check', $1)", args![check])?;
        let insert = "INSERT INTO users (id, name_index, role, key_version, data_key, profile, created_at) \
                      VALUES ($1, $2, 'owner', 1, $3, $4, 0)";
        tx.run(insert, args![user, index, wrapped, profile])
    };
    database.write(write).await.unwrap();
    database.close().await;
    user
}

async fn is_understood(old: &str, new: &str) {
    let master = MasterKey::random().unwrap();
    let user = first_version(old, &master).await;
    let found = inspect(old).await.unwrap();
    assert_eq!((found.versions.as_slice(), found.is_empty), ([1].as_slice(), false));
    assert!(found.pending().contains(&5));
    let folder = tempfile::tempdir().unwrap();
    let (path, progress) = (folder.path().join("b"), Arc::new(Progress::default()));
    let made = make_of(old, &path, Timestamp::from_millis(0), &progress).await.unwrap();
    assert_eq!((made.versions.as_slice(), made.rows), ([1].as_slice(), 2));
    let with = |key: MasterKey| Restoring {
        keys: KeyRing::from(key),
        at: Timestamp::from_millis(0),
        force: false,
        keep_keys: false,
    };
    let refused = restore(&path, new, &with(MasterKey::random().unwrap()), &progress).await.err();
    assert_eq!(refused, Some(Error::WrongMasterKey));
    restore(&path, new, &with(master.clone()), &progress).await.unwrap();
    let store = Store::open(new, master).await.unwrap();
    let vault = store.vault().clone();
    let read = move |tx: &mut Tx| users::by_name(tx, &vault, "ADA");
    assert_eq!(store.read(read).await.unwrap().unwrap().id, user);
    assert_eq!(store.data_key(user).await.unwrap().owner(), user);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_version_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    is_understood(&file("old.db"), &file("new.db")).await;
    let Some(cluster) = testkit::postgres::Cluster::shared().unwrap() else { return };
    is_understood(&cluster.database().unwrap(), &file("other.db")).await;
    is_understood(&file("older.db"), &cluster.database().unwrap()).await;
}

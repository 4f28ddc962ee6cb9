//! The store itself: opening, transactions, data keys, closing.

use crate::{
    Counts, DataKey, Error, Health, KeyRing, NodeBus, Result, Tx, Vault, audit,
    crypto::key_ring,
    database::{Address, Database, lite::reserve, migrate},
    users,
};
use domain::{Timestamp, UserId};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A handle on the database; clones share it.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    database: Database,
    vault: Vault,
    data_keys: Mutex<HashMap<UserId, DataKey>>,
}

impl Store {
    /// Opens `sqlite:PATH` (created if it is not there) or `postgres://…`, brings the schema up to date and
    /// makes sure that the master key is this database's.
    pub async fn open(url: &str, keys: impl Into<KeyRing>) -> Result<Self> {
        let database = Database::open(url).await?;
        match prepare(&database, keys.into()).await {
            Ok(vault) => {
                let shared = Shared { database, vault, data_keys: Mutex::new(HashMap::new()) };
                Ok(Self { shared: Arc::new(shared) })
            }
            Err(error) => {
                database.close().await;
                Err(error)
            }
        }
    }

    /// Runs a transaction. What the closure returns is given back after the COMMIT and never before; an
    /// error of the closure, or of any of its statements, undoes all of it.
    ///
    /// The closure is a plain function, and runs on a thread of the database's: it may wait for nothing but the verbs of [`Tx`].
    pub fn write<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        self.shared.database.write(closure)
    }

    /// As [`Self::write`], for a closure with reasons of its own to refuse: any error undoes the transaction and comes back
    /// as what it is.
    pub fn attempt<T, E, F>(&self, closure: F) -> impl Future<Output = Result<T, E>> + Send
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        self.shared.database.write(closure)
    }

    /// As [`Self::write`], for the few small statements by which a process tells other nodes that it is alive. On PostgreSQL they have
    /// connections that no other work uses, each of them counts by itself, and one whose caller waits no longer is given up.
    pub fn urgent<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        self.shared.database.urgent(closure)
    }

    /// Runs a read: every statement sees the same committed state, and none can write.
    pub fn read<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        self.shared.database.read(closure)
    }

    /// As [`Self::read`], for a few rows that are found by their keys: on SQLite it runs at once, on the thread of its caller.
    pub fn glance<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        self.shared.database.glance(closure)
    }

    /// Keeps this much of the disk back from now on, on SQLite: when the disk is full, what has begun can still be ended.
    pub fn keep_room(&self, bytes: u64) {
        self.shared.database.keep_room(bytes);
    }

    /// Is there room for new work? [`Error::Full`] when what is kept back is needed for what has begun.
    pub fn check_room(&self) -> Result<()> {
        match self.shared.database.has_room() {
            true => Ok(()),
            false => Err(Error::Full("the remaining space is reserved for running work".to_owned())),
        }
    }

    /// Writes that wait for their turn; on PostgreSQL, connections in use.
    pub fn waiting(&self) -> usize {
        self.shared.database.waiting()
    }

    /// Whether the database works, as far as this process knows; it does not wait for a database that does not answer.
    pub async fn health(&self) -> Health {
        match (self.shared.database.health().await, self.vault().missed()) {
            (Health::Good, Some(version)) => self.health_without_key(version).await,
            (health, _) => health,
        }
    }

    /// Something was wrapped by a master key that is not here. The database knows whether there is such a key.
    async fn health_without_key(&self, version: u32) -> Health {
        match self.glance(move |tx: &mut Tx| key_ring::is_known(tx, version)).await {
            Ok(true) => Health::LacksKey,
            Ok(false) => {
                self.vault().forget_missed(version);
                Health::Good
            }
            Err(_) => Health::Away,
        }
    }

    /// The time by which the nodes of one database understand each other, however their own clocks go: PostgreSQL's, as it was heard
    /// within the last second or so. A SQLite database has one node, whose clock says `own`.
    pub fn database_time(&self, own: Timestamp) -> Timestamp {
        self.shared.database.time().map_or(own, Timestamp::from_millis)
    }

    pub fn counts(&self) -> Counts {
        self.shared.database.counts()
    }

    /// The bus to other nodes on this database; `None` on SQLite, which has one node.
    pub fn bus(&self) -> Option<NodeBus> {
        self.shared.database.bus(format!("mj_{}", self.vault().house_mark()))
    }

    /// `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        self.shared.database.kind()
    }

    pub fn vault(&self) -> &Vault {
        &self.shared.vault
    }

    pub(crate) fn database(&self) -> &Database {
        &self.shared.database
    }

    /// The key of a user's rows; [`Error::NotFound`](crate::Error::NotFound) when there is no such user.
    pub async fn data_key(&self, user: UserId) -> Result<DataKey> {
        if let Some(key) = self.data_keys().get(&user) {
            return Ok(key.clone());
        }
        let vault = self.vault().clone();
        let read = move |tx: &mut Tx| match users::data_key(tx, &vault, user) {
            // Otherwise it is damaged, and what depends on it can be ended.
            Err(Error::NewerMasterKey { version }) if !key_ring::is_known(tx, version)? => {
                Err(Error::Crypto { table: "users", column: "data_key" })
            }
            other => other,
        };
        let key = self.read(read).await?;
        self.data_keys().insert(user, key.clone());
        Ok(key)
    }

    /// For a user who has been deleted.
    pub fn forget_key(&self, user: UserId) {
        self.data_keys().remove(&user);
    }

    /// For users who may have been deleted by another process. What is still needed is read again.
    pub fn forget_keys(&self) {
        self.data_keys().clear();
    }

    /// After a person was removed: their key goes from the files of the database, too. SQLite overwrites what it deletes,
    /// and its log is emptied; PostgreSQL writes the table of people anew. `false` when another transaction still reads in
    /// a state of before, and the same again may work later.
    pub async fn erase(&self) -> Result<bool> {
        self.shared.database.erase("users").await
    }

    fn data_keys(&self) -> std::sync::MutexGuard<'_, HashMap<UserId, DataKey>> {
        self.shared.data_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finishes what is queued and closes the database; later calls get [`Error::Closed`](crate::Error::Closed).
    pub async fn close(&self) {
        self.shared.database.close().await;
    }
}

/// Of a step that was busy, and between two of them: what waits behind a step gets on meanwhile.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

async fn prepare(database: &Database, keys: KeyRing) -> Result<Vault> {
    let mut tries = 0_u32;
    loop {
        let keys = keys.clone();
        match database.write(move |tx: &mut Tx| step(tx, &keys)).await {
            Ok(true) => {}
            Ok(false) => break,
            // Other nodes work meanwhile: a step waits for a moment at which they let it.
            Err(Error::Busy) if tries < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
    database.write(move |tx: &mut Tx| key_ring::open(tx, &keys)).await
}

/// One step of the schema, with what only a process that has the keys can do of it.
pub(crate) fn step(tx: &mut Tx, keys: &KeyRing) -> Result<bool> {
    let taken = migrate::step(tx)?;
    if taken == Some(audit::KEYED_SINCE) {
        let vault = key_ring::open(tx, keys)?;
        audit::begin_keyed(tx, &vault)?;
    }
    Ok(taken.is_some())
}

/// Lets go of what is kept back on the disk of a SQLite database that is about to be opened, if that disk is full: a start
/// needs a little room, and a program that has started can read and say so. Gives the bytes that are free then.
pub fn make_room(url: &str) -> Option<u64> {
    let Ok(Address::Lite(path)) = Address::parse(url) else { return None };
    reserve::make_room(&path);
    reserve::free(&path)
}

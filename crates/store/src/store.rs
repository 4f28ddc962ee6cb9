//! The store itself: opening, transactions, data keys, closing.

use crate::{
    Counts, DataKey, Error, MasterKey, Result, Tx, Vault, args, counts::Counters, lite, migrate, postgres,
    users,
};
use domain::UserId;
use sqlx::PgPool;
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Read-only connections on SQLite.
const READERS: usize = 4;

/// A handle on the database; clones share it.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    backend: Backend,
    vault: Vault,
    counters: Arc<Counters>,
    data_keys: Mutex<HashMap<UserId, DataKey>>,
}

enum Backend {
    Lite { writer: lite::writer::Writer, readers: lite::readers::Readers },
    Postgres(PgPool),
}

impl Store {
    /// Opens `sqlite:PATH` (created if it is not there) or `postgres://…`, brings the schema up to date and
    /// makes sure that the master key is this database's.
    pub async fn open(url: &str, master: MasterKey) -> Result<Self> {
        let counters = Arc::new(Counters::default());
        let backend = Backend::open(url, &counters).await?;
        let shared =
            Shared { backend, vault: Vault::new(&master)?, counters, data_keys: Mutex::new(HashMap::new()) };
        let store = Self { shared: Arc::new(shared) };
        match store.prepare().await {
            Ok(()) => Ok(store),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    async fn prepare(&self) -> Result<()> {
        while self.write(async |tx: &mut Tx| migrate::step(tx).await).await? {}
        let check = self.vault().check_value();
        self.write(async move |tx: &mut Tx| check_key(tx, check).await).await
    }

    /// Runs a transaction. What the closure returns is given back after the COMMIT and never before; an
    /// error of the closure, or of any of its statements, undoes all of it.
    ///
    /// The closure awaits nothing but the verbs of [`Tx`]: on SQLite it is polled once, on the writer thread.
    pub async fn write<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        match &self.shared.backend {
            Backend::Lite { writer, .. } => writer.write(closure).await,
            Backend::Postgres(pool) => postgres::write(pool, &self.shared.counters, closure).await,
        }
    }

    /// Runs a read: every statement sees the same committed state, and none can write.
    pub async fn read<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        match &self.shared.backend {
            Backend::Lite { readers, .. } => readers.read(closure).await,
            Backend::Postgres(pool) => postgres::read(pool, &self.shared.counters, closure).await,
        }
    }

    pub fn counts(&self) -> Counts {
        self.shared.counters.read()
    }

    /// `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match &self.shared.backend {
            Backend::Lite { .. } => "sqlite",
            Backend::Postgres(_) => "postgres",
        }
    }

    pub fn vault(&self) -> &Vault {
        &self.shared.vault
    }

    /// The key of a user's rows; [`Error::NotFound`] when there is no such user.
    pub async fn data_key(&self, user: UserId) -> Result<DataKey> {
        if let Some(key) = self.data_keys().get(&user) {
            return Ok(key.clone());
        }
        let vault = self.vault().clone();
        let key = self.read(async move |tx: &mut Tx| users::data_key(tx, &vault, user).await).await?;
        self.data_keys().insert(user, key.clone());
        Ok(key)
    }

    fn data_keys(&self) -> std::sync::MutexGuard<'_, HashMap<UserId, DataKey>> {
        self.shared.data_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finishes what is queued and closes the database; later calls get [`Error::Closed`].
    pub async fn close(&self) {
        match &self.shared.backend {
            Backend::Lite { writer, readers } => {
                readers.close(READERS).await;
                writer.close().await;
            }
            Backend::Postgres(pool) => pool.close().await,
        }
    }
}

impl Backend {
    async fn open(url: &str, counters: &Arc<Counters>) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(postgres::connect(url).await?));
        }
        let path = url.strip_prefix("sqlite:").ok_or(Error::BadUrl)?;
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().starts_with(b":") {
            return Err(Error::BadUrl);
        }
        let connection = lite::open_writer(path)?;
        let readers = lite::readers::Readers::open(path, READERS, counters)?;
        Ok(Self::Lite { writer: lite::writer::Writer::start(connection, counters.clone())?, readers })
    }
}

/// The first key that opens a database is noted; every later one must be the same.
async fn check_key(tx: &mut Tx, check: [u8; 32]) -> Result<()> {
    let noted = "INSERT INTO meta (name, value) VALUES ('key_check', $1) ON CONFLICT DO NOTHING";
    tx.run(noted, args![check]).await?;
    let found: [u8; 32] = tx.one("SELECT value FROM meta WHERE name = 'key_check'", args![]).await?;
    if found == check { Ok(()) } else { Err(Error::WrongMasterKey) }
}

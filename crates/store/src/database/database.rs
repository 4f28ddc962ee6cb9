//! A database of either kind: transactions that write, reads that see one state.

use crate::{
    Counts, Error, Health, Result, Tx,
    database::{
        counts::Counters,
        health::Pulse,
        job::{Done, Job, Undone, erased, typed},
        lite, migrate,
        postgres::{self, JobPlace, PostgresConnections},
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Read-only connections on SQLite.
const READERS: usize = 4;

/// The engine below a [`Store`](crate::Store), which knows nothing of schema or keys.
pub(crate) struct Database {
    backend: Backend,
    counters: Arc<Counters>,
    /// What this process does as a node: no turn costs any of it.
    own_counters: Arc<Counters>,
    pulse: Arc<Pulse>,
}

enum Backend {
    Lite {
        path: PathBuf,
        writer: lite::writer::Writer,
        readers: lite::readers::Readers,
        reserve: lite::reserve::Reserve,
    },
    Postgres(postgres::Pools),
}

/// What an address names.
pub(crate) enum Address {
    Lite(PathBuf),
    Postgres(String),
}

impl Address {
    pub fn parse(url: &str) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        let path = url.strip_prefix("sqlite:").ok_or(Error::BadUrl)?;
        let path = Path::new(path.strip_prefix("//").unwrap_or(path));
        if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().starts_with(b":") {
            return Err(Error::BadUrl);
        }
        Ok(Self::Lite(path.to_owned()))
    }
}

impl Database {
    /// A SQLite file is created if it is not there.
    pub async fn open(url: &str) -> Result<Self> {
        let (counters, pulse) = (Arc::new(Counters::default()), Arc::new(Pulse::default()));
        let backend = match Address::parse(url)? {
            Address::Postgres(url) => Backend::Postgres(postgres::connect(&url, &pulse).await?),
            Address::Lite(path) => {
                let connection = lite::open_writer(&path)?;
                let readers = lite::readers::Readers::open(&path, READERS, &counters)?;
                let writer = lite::writer::Writer::start(connection, counters.clone())?;
                let reserve = lite::reserve::Reserve::of(&path);
                Backend::Lite { path, writer, readers, reserve }
            }
        };
        Ok(Self { backend, counters, own_counters: Arc::default(), pulse })
    }

    /// See [`Store::attempt`](crate::Store::attempt).
    pub fn write<T, E, F>(&self, closure: F) -> impl Future<Output = Result<T, E>> + Send
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        typed(self.write_job(erased(closure)))
    }

    /// See [`Store::urgent`](crate::Store::urgent).
    pub fn urgent<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        typed(self.urgent_job(erased(closure)))
    }

    fn urgent_job(&self, job: Job) -> Done<'_> {
        match &self.backend {
            Backend::Lite { .. } => self.write_job(job),
            Backend::Postgres(pools) => Box::pin(async move {
                let outcome = self.job_place(&pools.own, &self.own_counters).write_bare(job).await;
                outcome.inspect_err(|undone| undone.failure.iter().for_each(|error| self.note(error)))
            }),
        }
    }

    /// See [`Store::read`](crate::Store::read).
    pub fn read<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        typed(self.read_job(erased(closure)))
    }

    /// See [`Store::glance`](crate::Store::glance).
    pub fn glance<T, F>(&self, closure: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        typed(self.glance_job(erased(closure)))
    }

    fn write_job(&self, job: Job) -> Done<'_> {
        Box::pin(async move {
            let outcome = match &self.backend {
                Backend::Lite { writer, .. } => writer.write(job).await,
                Backend::Postgres(pools) => self.job_place(&pools.shared, &self.counters).write(job).await,
            };
            self.note_write(outcome.as_ref().map(drop));
            outcome
        })
    }

    fn read_job(&self, job: Job) -> Done<'_> {
        Box::pin(async move {
            match &self.backend {
                Backend::Lite { readers, .. } => readers.read(job).await,
                Backend::Postgres(pools) => {
                    let outcome = self.job_place(&pools.shared, &self.counters).read(job).await;
                    outcome.inspect_err(|undone| undone.failure.iter().for_each(|error| self.note(error)))
                }
            }
        })
    }

    fn glance_job(&self, job: Job) -> Done<'_> {
        match &self.backend {
            Backend::Lite { readers, .. } => Box::pin(readers.glance(job)),
            Backend::Postgres(_) => self.read_job(job),
        }
    }

    fn job_place(&self, pool: &Arc<PostgresConnections>, counters: &Arc<Counters>) -> JobPlace {
        JobPlace { pool: pool.clone(), pulse: self.pulse.clone(), counters: counters.clone() }
    }

    fn note_write(&self, outcome: Result<(), &Undone>) {
        match outcome {
            Ok(()) => self.pulse.note_write(true),
            Err(Undone { failure: Some(Error::Full(_)), .. }) => {
                if let Backend::Lite { reserve, .. } = &self.backend {
                    // For the turn that ends what has begun.
                    reserve.let_go();
                }
                self.pulse.note_write(false);
            }
            Err(Undone { failure: Some(error), .. }) => self.note(error),
            Err(Undone { failure: None, .. }) => {}
        }
    }

    fn note(&self, error: &Error) {
        if let Error::ReadOnly(_) = error {
            // The server behind this connection was failed over from; the name may lead to another by now.
            self.pulse.part_with_connections();
        }
        if error.is_transient() {
            self.pulse.doubt();
        }
    }

    /// What is known of it. SQLite is asked for its version, and its disk for the room it has; PostgreSQL is asked by its probe,
    /// so that a pool in which no connection is free says nothing of the server.
    pub async fn health(&self) -> Health {
        match (&self.backend, self.pulse.health()) {
            // While the reserve is needed for what has begun, new work is refused.
            (Backend::Lite { .. }, Health::Good) if !self.has_room() => Health::Full,
            (Backend::Lite { path, .. }, Health::Good) => match self.glance(migrate::applied).await {
                Ok(_) => lite::room(path.clone()).await,
                Err(_) => Health::Away,
            },
            (_, known) => known,
        }
    }

    /// Makes what was deleted vanish from the files. `false` when somebody reads in a state of before.
    pub async fn erase(&self, table: &'static str) -> Result<bool> {
        match &self.backend {
            Backend::Lite { writer, .. } => writer.empty_log().await,
            Backend::Postgres(pools) => postgres::rewrite(&pools.shared, &self.pulse, table).await,
        }
    }

    #[cfg(test)]
    pub fn reserve(&mut self) -> Option<&mut lite::reserve::Reserve> {
        match &mut self.backend {
            Backend::Lite { reserve, .. } => Some(reserve),
            Backend::Postgres(_) => None,
        }
    }

    /// See [`Store::keep_room`](crate::Store::keep_room).
    pub fn keep_room(&self, bytes: u64) {
        if let Backend::Lite { reserve, .. } = &self.backend {
            reserve.keep(bytes);
        }
    }

    pub fn has_room(&self) -> bool {
        match &self.backend {
            Backend::Lite { reserve, .. } => reserve.is_there(),
            Backend::Postgres(_) => true,
        }
    }

    /// See [`Store::bus`](crate::Store::bus).
    pub fn bus(&self, house: String) -> Option<postgres::bus::NodeBus> {
        match &self.backend {
            Backend::Lite { .. } => None,
            Backend::Postgres(pools) => {
                Some(postgres::bus::NodeBus::new(&pools.shared.options, house, &self.counters))
            }
        }
    }

    pub fn counts(&self) -> Counts {
        self.counters.read()
    }

    /// See [`Store::database_time`](crate::Store::database_time).
    pub fn time(&self) -> Option<i64> {
        self.pulse.clock()
    }

    /// Writes that wait for their turn; on PostgreSQL, connections in use.
    pub fn waiting(&self) -> usize {
        match &self.backend {
            Backend::Lite { writer, .. } => writer.waiting(),
            Backend::Postgres(postgres::Pools { shared, .. }) => shared.in_use(),
        }
    }

    pub fn kind(&self) -> &'static str {
        match &self.backend {
            Backend::Lite { .. } => "sqlite",
            Backend::Postgres(_) => "postgres",
        }
    }

    pub async fn close(&self) {
        match &self.backend {
            Backend::Lite { writer, readers, .. } => {
                readers.close(READERS).await;
                writer.close().await;
            }
            Backend::Postgres(pools) => pools.close().await,
        }
    }
}

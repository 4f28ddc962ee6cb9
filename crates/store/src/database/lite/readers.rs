//! The reading side of SQLite: a few read-only connections, used on blocking threads.

use super::{open_reader, writer};
use crate::{
    Error, Result, Tx,
    database::{
        counts::Counters,
        job::{Job, Undone, Value, perform},
        tx::Engine,
    },
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Semaphore;

#[derive(Clone)]
pub(crate) struct Readers {
    pool: Arc<Pool>,
    /// As many permits as there may be connections; closed together with the store.
    permits: Arc<Semaphore>,
}

struct Pool {
    path: PathBuf,
    /// A connection is opened when all others are at work: each keeps pages and prepared statements of its own.
    idle: Mutex<Vec<Tx>>,
    /// Held by the read that runs where it was asked for.
    here: Mutex<()>,
    counters: Arc<Counters>,
}

impl Pool {
    fn open(&self) -> Result<Tx> {
        Ok(Tx::new(Engine::Lite(open_reader(&self.path)?), self.counters.clone()))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Tx>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    pub fn open(path: &Path, count: usize, counters: &Arc<Counters>) -> Result<Self> {
        let (idle, here) = (Mutex::new(Vec::with_capacity(count)), Mutex::new(()));
        let pool = Pool { path: path.to_owned(), idle, here, counters: counters.clone() };
        // What is wrong with the file is said at the start.
        let first = pool.open()?;
        pool.idle().push(first);
        Ok(Self { pool: Arc::new(pool), permits: Arc::new(Semaphore::new(count)) })
    }

    /// For a read of a few rows: it runs where it is asked for, because a change of threads and back would take longer. One at a
    /// time, so that a disk that is slow holds up no more than one thread of the runtime; others go the way of [`Self::read`].
    pub async fn glance(&self, job: Job) -> Result<Value, Undone> {
        match self.read_here(job) {
            Ok(outcome) => outcome,
            Err(job) => self.read(job).await,
        }
    }

    /// What came of it, or the job itself where it has to wait.
    fn read_here(&self, job: Job) -> Result<Result<Value, Undone>, Job> {
        let Ok(_here) = self.pool.here.try_lock() else { return Err(job) };
        let Ok(_permit) = self.permits.try_acquire() else { return Err(job) };
        let Some(mut tx) = self.pool.idle().pop() else { return Err(job) };
        let outcome = snapshot(&mut tx, job);
        self.pool.idle().push(tx);
        Ok(outcome)
    }

    pub async fn read(&self, job: Job) -> Result<Value, Undone> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
        self.pool.counters.handed_over();
        let pool = self.pool.clone();
        let work = move || {
            let idle = pool.idle().pop();
            let mut tx = idle.map_or_else(|| pool.open(), Ok)?;
            let outcome = snapshot(&mut tx, job);
            pool.idle().push(tx);
            drop(permit);
            outcome
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Panicked)?
    }

    /// Waits for the readers that are at work, then closes their connections.
    pub async fn close(&self, count: usize) {
        let all = u32::try_from(count).unwrap_or(u32::MAX);
        let permits = self.permits.acquire_many(all).await;
        self.permits.close();
        drop(permits);
        self.pool.idle().clear();
    }
}

/// All statements of one read see the same state.
fn snapshot(tx: &mut Tx, job: Job) -> Result<Value, Undone> {
    writer::control(tx, "BEGIN")?;
    let outcome = perform(tx, job);
    let ended = writer::control(tx, "ROLLBACK");
    let value = outcome?;
    ended?;
    Ok(value)
}

#[cfg(test)]
#[path = "readers_tests.rs"]
mod tests;

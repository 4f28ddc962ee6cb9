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
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Semaphore;

#[derive(Clone)]
pub(crate) struct Readers {
    /// As many permits as there are connections; closed together with the store.
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Tx>>>,
    /// Held by the read that runs where it was asked for.
    here: Arc<Mutex<()>>,
    counters: Arc<Counters>,
}

impl Readers {
    pub fn open(path: &Path, count: usize, counters: &Arc<Counters>) -> Result<Self> {
        let mut idle = Vec::with_capacity(count);
        for _ in 0..count {
            idle.push(Tx::new(Engine::Lite(open_reader(path)?), counters.clone()));
        }
        let (permits, idle) = (Arc::new(Semaphore::new(count)), Arc::new(Mutex::new(idle)));
        Ok(Self { permits, idle, here: Arc::default(), counters: counters.clone() })
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
        let Ok(_here) = self.here.try_lock() else { return Err(job) };
        let Ok(_permit) = self.permits.try_acquire() else { return Err(job) };
        let Some(mut tx) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() else {
            return Err(job);
        };
        let outcome = snapshot(&mut tx, job);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(tx);
        Ok(outcome)
    }

    pub async fn read(&self, job: Job) -> Result<Value, Undone> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
        self.counters.handed_over();
        let idle = self.idle.clone();
        let work = move || {
            let mut tx = idle.lock().unwrap_or_else(PoisonError::into_inner).pop().ok_or(Error::Closed)?;
            let outcome = snapshot(&mut tx, job);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(tx);
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
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
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

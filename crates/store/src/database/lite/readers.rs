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
}

impl Readers {
    pub fn open(path: &Path, count: usize, counters: &Arc<Counters>) -> Result<Self> {
        let mut idle = Vec::with_capacity(count);
        for _ in 0..count {
            idle.push(Tx::new(Engine::Lite(open_reader(path)?), counters.clone()));
        }
        Ok(Self { permits: Arc::new(Semaphore::new(count)), idle: Arc::new(Mutex::new(idle)) })
    }

    pub async fn read(&self, job: Job) -> Result<Value, Undone> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
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

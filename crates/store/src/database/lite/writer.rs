//! The writer thread: many jobs, one COMMIT, one fsync.
//!
//! Invariants: nothing is answered before the COMMIT it depends on: success is not, and neither is a refusal that
//! may rest on what another job of the batch has written; a job that fails or panics undoes itself alone; when
//! the outer transaction is lost, every job of the batch gets the error.

use crate::{
    Error, Result, Tx,
    database::{
        counts::Counters,
        job::{Job, Undone, Value, perform},
        tx::Engine,
    },
};
use rusqlite::Connection;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Jobs that may wait; whoever comes after waits for a place.
const QUEUE: usize = 1_024;
const LOST: &str = "the transaction was rolled back";
/// Jobs per COMMIT, so that the first of a batch is not kept waiting for ever.
const BATCH: usize = 256;

/// The way to the writer thread.
#[derive(Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Order>,
}

enum Order {
    Work(Call),
    /// Empties the log; says whether that was possible.
    Empty(oneshot::Sender<Result<bool>>),
    Close(oneshot::Sender<()>),
}

/// One caller's transaction on its way through the writer thread.
struct Call {
    job: Job,
    tell: oneshot::Sender<Result<Value, Undone>>,
}

/// What a job came to, which its caller is told after the COMMIT.
struct Worked {
    outcome: Result<Value, Undone>,
    tell: oneshot::Sender<Result<Value, Undone>>,
}

impl Worked {
    /// Tells the caller what the work came to, or why it was lost together with its batch.
    fn answer(self, batch: Result<()>) {
        let told = match batch {
            Ok(()) => self.outcome,
            Err(error) => Err(error.into()),
        };
        // A caller that is gone does not undo what it asked for.
        let _ = self.tell.send(told);
    }
}

impl Writer {
    pub fn start(connection: Connection, counters: Arc<Counters>) -> Result<Self> {
        let (queue, orders) = mpsc::channel(QUEUE);
        let tx = Tx::new(Engine::Lite(connection), counters);
        std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || serve(tx, orders))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue })
    }

    pub async fn write(&self, job: Job) -> Result<Value, Undone> {
        let (tell, told) = oneshot::channel();
        self.queue.send(Order::Work(Call { job, tell })).await.map_err(|_| Error::Closed)?;
        told.await.map_err(|_| Error::Closed)?
    }

    /// Jobs that wait for the thread.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity().saturating_sub(self.queue.capacity())
    }

    /// Empties the log, with what was deleted in it. `false` when a reader still needs it.
    pub async fn empty_log(&self) -> Result<bool> {
        let (tell, told) = oneshot::channel();
        self.queue.send(Order::Empty(tell)).await.map_err(|_| Error::Closed)?;
        told.await.map_err(|_| Error::Closed)?
    }

    /// Lets everything that is queued finish, then writes the WAL back and closes the file.
    pub async fn close(&self) {
        let (tell, told) = oneshot::channel();
        if self.queue.send(Order::Close(tell)).await.is_ok() {
            let _ = told.await;
        }
    }
}

fn serve(mut tx: Tx, mut orders: mpsc::Receiver<Order>) {
    let mut closing = Vec::new();
    while let Some(order) = orders.blocking_recv() {
        match order {
            Order::Work(call) => match batch(&mut tx, call, &mut orders) {
                Some(Order::Close(close)) => {
                    orders.close();
                    closing.push(close);
                }
                Some(Order::Empty(tell)) => empty(&tx, tell),
                Some(Order::Work(_)) | None => {}
            },
            Order::Empty(tell) => empty(&tx, tell),
            Order::Close(close) => {
                orders.close();
                closing.push(close);
            }
        }
    }
    if let Engine::Lite(connection) = &tx.engine
        && let Err(error) = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
    {
        tracing::warn!(%error, "the last checkpoint failed; the next start reads the log again");
    }
    drop(tx);
    for close in closing {
        let _ = close.send(());
    }
}

fn empty(tx: &Tx, tell: oneshot::Sender<Result<bool>>) {
    let outcome = match &tx.engine {
        Engine::Lite(connection) => super::empty_log(connection),
        Engine::Postgres(_) => Ok(true),
    };
    let _ = tell.send(outcome);
}

/// One BEGIN … COMMIT over `first` and what is queued behind it. Gives back the order that it met and that is no work.
fn batch(tx: &mut Tx, first: Call, orders: &mut mpsc::Receiver<Order>) -> Option<Order> {
    if let Err(error) = control(tx, "BEGIN IMMEDIATE") {
        let _ = first.tell.send(Err(error.into()));
        return None;
    }
    let mut done = Vec::new();
    let mut other = None;
    let mut next = Some(first);
    let mut taken = 0_usize;
    while let Some(call) = next.take() {
        let (worked, end) = work(tx, call, done.is_empty());
        match end {
            Err(Failure::Alone) if done.is_empty() => worked.answer(Ok(())),
            Ok(()) | Err(Failure::Alone) => done.push(worked),
            Err(Failure::Batch(error)) => {
                done.push(worked);
                abandon(tx, done, &error);
                return None;
            }
        }
        taken = taken.saturating_add(1);
        // Without anything done there is no transaction left open: see `work`.
        if !done.is_empty() && taken < BATCH {
            match orders.try_recv() {
                Ok(Order::Work(call)) => next = Some(call),
                Ok(order) => other = Some(order),
                Err(_) => {}
            }
        }
    }
    finish(tx, done);
    other
}

fn finish(tx: &Tx, done: Vec<Worked>) {
    if done.is_empty() {
        return;
    }
    match control(tx, "COMMIT") {
        Ok(()) => {
            tx.counters.commit();
            done.into_iter().for_each(|worked| worked.answer(Ok(())));
        }
        Err(error) => abandon(tx, done, &error),
    }
}

fn abandon(tx: &Tx, done: Vec<Worked>, error: &Error) {
    if !autocommit(tx)
        && let Err(rollback) = control(tx, "ROLLBACK")
    {
        tracing::error!(%rollback, "a batch could not be rolled back");
    }
    done.into_iter().for_each(|worked| worked.answer(Err(error.clone())));
}

enum Failure {
    /// The job is undone, the others stand.
    Alone,
    /// The outer transaction is lost.
    Batch(Error),
}

/// Runs one job so that its failure undoes only itself. As long as nothing is done in the batch the plain
/// ROLLBACK does that; afterwards it takes a savepoint.
fn work(tx: &mut Tx, call: Call, only_one: bool) -> (Worked, Result<(), Failure>) {
    let Call { job, tell } = call;
    if !only_one && let Err(error) = control(tx, "SAVEPOINT job") {
        return (Worked { outcome: Err(error.clone().into()), tell }, Err(Failure::Batch(error)));
    }
    let outcome = perform(tx, job);
    let end = end(tx, outcome.as_ref().map(drop), only_one);
    (Worked { outcome, tell }, end)
}

fn end(tx: &Tx, outcome: Result<(), &Undone>, only_one: bool) -> Result<(), Failure> {
    match outcome {
        Ok(()) if only_one => Ok(()),
        Ok(()) => control(tx, "RELEASE job").map_err(Failure::Batch),
        // SQLite rolls everything back by itself when, for instance, the disk is full.
        Err(undone) if autocommit(tx) => {
            let failure = undone.failure.clone();
            Err(Failure::Batch(failure.unwrap_or_else(|| Error::Database(LOST.to_owned()))))
        }
        Err(_) => {
            let undo: &[&str] = if only_one { &["ROLLBACK"] } else { &["ROLLBACK TO job", "RELEASE job"] };
            undo.iter().try_for_each(|sql| control(tx, sql)).map_err(Failure::Batch)?;
            Err(Failure::Alone)
        }
    }
}

/// The statements around the jobs; they are not counted.
pub(crate) fn control(tx: &Tx, sql: &str) -> Result<()> {
    match &tx.engine {
        Engine::Lite(connection) => Ok(connection.prepare_cached(sql)?.raw_execute().map(drop)?),
        Engine::Postgres(_) => Err(Error::Database("not a SQLite transaction".to_owned())),
    }
}

fn autocommit(tx: &Tx) -> bool {
    match &tx.engine {
        Engine::Lite(connection) => connection.is_autocommit(),
        Engine::Postgres(_) => false,
    }
}

//! The writer thread: many jobs, one COMMIT, one fsync.
//!
//! Invariants: nothing is answered before the COMMIT it depends on: success is not, and neither is a refusal that
//! may rest on what another job of the batch has written; a job that fails, panics or pends undoes itself alone; when
//! the outer transaction is lost, every job of the batch gets the error.

use crate::{
    Error, Result, Tx,
    database::{
        counts::Counters,
        tx::{Engine, Undone},
    },
};
use rusqlite::Connection;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};
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
    Work(Box<dyn Job>),
    /// Empties the log; says whether that was possible.
    Empty(oneshot::Sender<Result<bool>>),
    Close(oneshot::Sender<()>),
}

/// One caller's transaction on its way through the writer thread.
trait Job: Send {
    /// Does the work, without its COMMIT. What it came to is kept for the caller.
    fn work(&mut self, tx: &mut Tx) -> Result<(), Refused>;
    /// Tells the caller what the work came to, or why it was lost together with its batch.
    fn answer(self: Box<Self>, batch: Result<()>);
}

/// The work is to be undone: with what the database could not do, if that was it.
struct Refused(Option<Error>);

struct Call<T, E, F> {
    closure: Option<F>,
    outcome: Option<Result<T, Undone<E>>>,
    tell: oneshot::Sender<Result<T, Undone<E>>>,
}

impl<T, E, F> Job for Call<T, E, F>
where
    T: Send,
    E: From<Error> + Send,
    F: AsyncFnOnce(&mut Tx) -> Result<T, E> + Send,
{
    fn work(&mut self, tx: &mut Tx) -> Result<(), Refused> {
        let outcome = match self.closure.take() {
            Some(closure) => poll_once(tx, closure),
            None => Err(Error::Closed.into()),
        };
        let worked = match &outcome {
            Ok(_) => Ok(()),
            Err(undone) => Err(Refused(undone.failure.clone())),
        };
        self.outcome = Some(outcome);
        worked
    }

    fn answer(self: Box<Self>, batch: Result<()>) {
        let Self { outcome, tell, .. } = *self;
        let told = match batch {
            Ok(()) => outcome.unwrap_or_else(|| Err(Error::Closed.into())),
            Err(error) => Err(error.into()),
        };
        // A caller that is gone does not undo what it asked for.
        let _ = tell.send(told);
    }
}

/// Runs a closure whose only awaits are statements, which on SQLite never pend.
pub(crate) fn poll_once<T, E, F>(tx: &mut Tx, closure: F) -> Result<T, Undone<E>>
where
    E: From<Error>,
    F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
{
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let future = pin!(closure(tx));
        future.poll(&mut Context::from_waker(Waker::noop()))
    }));
    let outcome = match polled {
        Ok(Poll::Ready(outcome)) => outcome,
        Ok(Poll::Pending) => Err(Error::Pended.into()),
        Err(_) => Err(Error::Panicked.into()),
    };
    tx.settle(outcome)
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

    pub async fn write<T, E, F>(&self, closure: F) -> Result<T, Undone<E>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let job = Box::new(Call { closure: Some(closure), outcome: None, tell });
        self.queue.send(Order::Work(job)).await.map_err(|_| Error::Closed)?;
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
            Order::Work(job) => match batch(&mut tx, job, &mut orders) {
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
    if let Err(error) = control(&tx, "PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "the last checkpoint failed; the next start replays the log");
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
fn batch(tx: &mut Tx, first: Box<dyn Job>, orders: &mut mpsc::Receiver<Order>) -> Option<Order> {
    if let Err(error) = control(tx, "BEGIN IMMEDIATE") {
        first.answer(Err(error));
        return None;
    }
    let mut done: Vec<Box<dyn Job>> = Vec::new();
    let mut other = None;
    let mut next = Some(first);
    let mut taken = 0_usize;
    while let Some(mut job) = next.take() {
        match work(tx, job.as_mut(), done.is_empty()) {
            Err(Failure::Alone) if done.is_empty() => job.answer(Ok(())),
            Ok(()) | Err(Failure::Alone) => done.push(job),
            Err(Failure::Batch(error)) => {
                done.push(job);
                abandon(tx, done, &error);
                return None;
            }
        }
        taken = taken.saturating_add(1);
        // Without anything done there is no transaction left open: see `work`.
        if !done.is_empty() && taken < BATCH {
            match orders.try_recv() {
                Ok(Order::Work(job)) => next = Some(job),
                Ok(order) => other = Some(order),
                Err(_) => {}
            }
        }
    }
    finish(tx, done);
    other
}

fn finish(tx: &Tx, done: Vec<Box<dyn Job>>) {
    if done.is_empty() {
        return;
    }
    match control(tx, "COMMIT") {
        Ok(()) => {
            tx.counters.commit();
            done.into_iter().for_each(|job| job.answer(Ok(())));
        }
        Err(error) => abandon(tx, done, &error),
    }
}

fn abandon(tx: &Tx, jobs: Vec<Box<dyn Job>>, error: &Error) {
    if !autocommit(tx)
        && let Err(rollback) = control(tx, "ROLLBACK")
    {
        tracing::error!(%rollback, "a batch could not be rolled back");
    }
    jobs.into_iter().for_each(|job| job.answer(Err(error.clone())));
}

enum Failure {
    /// The job is undone, the others stand.
    Alone,
    /// The outer transaction is lost.
    Batch(Error),
}

/// Runs one job so that its failure undoes only itself. As long as nothing is done in the batch the plain
/// ROLLBACK does that; afterwards it takes a savepoint.
fn work(tx: &mut Tx, job: &mut dyn Job, only_one: bool) -> Result<(), Failure> {
    if !only_one {
        control(tx, "SAVEPOINT job").map_err(Failure::Batch)?;
    }
    match job.work(tx) {
        Ok(()) if only_one => Ok(()),
        Ok(()) => control(tx, "RELEASE job").map_err(Failure::Batch),
        // SQLite rolls everything back by itself when, for instance, the disk is full.
        Err(Refused(failure)) if autocommit(tx) => {
            Err(Failure::Batch(failure.unwrap_or_else(|| Error::Database(LOST.to_owned()))))
        }
        Err(Refused(_)) => {
            let undo = if only_one { "ROLLBACK" } else { "ROLLBACK TO job; RELEASE job" };
            control(tx, undo).map_err(Failure::Batch)?;
            Err(Failure::Alone)
        }
    }
}

/// The statements around the jobs; they are not counted.
pub(crate) fn control(tx: &Tx, sql: &str) -> Result<()> {
    match &tx.engine {
        Engine::Lite(connection) => Ok(connection.execute_batch(sql)?),
        Engine::Postgres(_) => Err(Error::Database("not a SQLite transaction".to_owned())),
    }
}

fn autocommit(tx: &Tx) -> bool {
    match &tx.engine {
        Engine::Lite(connection) => connection.is_autocommit(),
        Engine::Postgres(_) => false,
    }
}

//! The writer thread: many jobs, one COMMIT, one fsync.
//!
//! Invariants: nothing is answered before the COMMIT it depends on: success is not, and neither is a refusal that
//! may rest on what another job of the batch has written; a job that fails, panics or pends undoes itself alone; when
//! the outer transaction is lost, every job of the batch gets the error.

use crate::{
    Error, Result, Tx,
    database::{counts::Counters, tx::Engine},
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
    /// Does the work, without its COMMIT.
    fn work(&mut self, tx: &mut Tx) -> Result<()>;
    /// Tells the caller: its value if the outcome is good.
    fn answer(self: Box<Self>, outcome: Result<()>);
}

struct Call<T, F> {
    closure: Option<F>,
    value: Option<T>,
    tell: oneshot::Sender<Result<T>>,
}

impl<T, F> Job for Call<T, F>
where
    T: Send,
    F: AsyncFnOnce(&mut Tx) -> Result<T> + Send,
{
    fn work(&mut self, tx: &mut Tx) -> Result<()> {
        let closure = self.closure.take().ok_or(Error::Closed)?;
        self.value = Some(poll_once(tx, closure)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<()>) {
        let Self { value, tell, .. } = *self;
        // A caller that is gone does not undo what it asked for.
        let _ = tell.send(outcome.and_then(|()| value.ok_or(Error::Closed)));
    }
}

/// Runs a closure whose only awaits are statements, which on SQLite never pend.
pub(crate) fn poll_once<T, F>(tx: &mut Tx, closure: F) -> Result<T>
where
    F: AsyncFnOnce(&mut Tx) -> Result<T>,
{
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let future = pin!(closure(tx));
        future.poll(&mut Context::from_waker(Waker::noop()))
    }));
    let outcome = match polled {
        Ok(Poll::Ready(outcome)) => outcome,
        Ok(Poll::Pending) => Err(Error::Pended),
        Err(_) => Err(Error::Panicked),
    };
    match tx.take_failure() {
        Some(failure) => outcome.and(Err(failure)),
        None => outcome,
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

    pub async fn write<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&mut Tx) -> Result<T> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let job = Box::new(Call { closure: Some(closure), value: None, tell });
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
    let mut done: Vec<Worked> = Vec::new();
    let mut other = None;
    let mut next = Some(first);
    let mut taken = 0_usize;
    while let Some(mut job) = next.take() {
        match work(tx, job.as_mut(), done.is_empty()) {
            Ok(()) => done.push((job, Ok(()))),
            Err(Failure::Alone(error)) if done.is_empty() => job.answer(Err(error)),
            Err(Failure::Alone(error)) => done.push((job, Err(error))),
            Err(Failure::Batch(error)) => {
                done.push((job, Ok(())));
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

fn finish(tx: &Tx, done: Vec<Worked>) {
    if done.is_empty() {
        return;
    }
    match control(tx, "COMMIT") {
        Ok(()) => {
            tx.counters.commit();
            done.into_iter().for_each(|(job, outcome)| job.answer(outcome));
        }
        Err(error) => abandon(tx, done, &error),
    }
}

fn abandon(tx: &Tx, jobs: Vec<Worked>, error: &Error) {
    if !autocommit(tx)
        && let Err(rollback) = control(tx, "ROLLBACK")
    {
        tracing::error!(%rollback, "a batch could not be rolled back");
    }
    jobs.into_iter().for_each(|(job, _)| job.answer(Err(error.clone())));
}

/// A job of the batch, and what it will be told if the batch is committed.
type Worked = (Box<dyn Job>, Result<()>);

enum Failure {
    /// The job is undone, the others stand.
    Alone(Error),
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
        Err(error) if autocommit(tx) => Err(Failure::Batch(error)),
        Err(error) => {
            let undo = if only_one { "ROLLBACK" } else { "ROLLBACK TO job; RELEASE job" };
            control(tx, undo).map_err(Failure::Batch)?;
            Err(Failure::Alone(error))
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

//! What a caller wants done in a transaction, without its types: the closure goes in a box and its result comes back in one, so
//! that queue, writer, readers and retries are compiled once and not for each of some two hundred callers.

use crate::{Error, Result, Tx};
use futures_util::future::BoxFuture;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The result of a closure, or its refusal.
pub(crate) type Value = Box<dyn Any + Send>;
pub(crate) type Job = Box<dyn FnOnce(&mut Tx) -> Result<Value, Value> + Send>;
/// A job on its way through the database.
pub(crate) type Done<'a> = BoxFuture<'a, Result<Value, Undone>>;

/// Why a transaction was undone.
pub(crate) struct Undone {
    reason: Reason,
    /// What the database could not do, where that happened: the reason may be another.
    pub failure: Option<Error>,
}

/// What the caller is told.
enum Reason {
    /// The closure's own refusal.
    Refused(Value),
    Failed(Error),
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Self { failure: Some(error.clone()), reason: Reason::Failed(error) }
    }
}

/// Boxes a closure.
pub(crate) fn erased<T, E, F>(closure: F) -> Job
where
    T: Send + 'static,
    E: Send + 'static,
    F: FnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
{
    Box::new(move |tx| match closure(tx) {
        Ok(value) => Ok(Box::new(value)),
        Err(refusal) => Err(Box::new(refusal)),
    })
}

/// The result of a job in the types of its closure.
pub(crate) async fn typed<T, E>(done: Done<'_>) -> Result<T, E>
where
    T: 'static,
    E: From<Error> + 'static,
{
    match done.await {
        Ok(value) => unboxed(value),
        Err(Undone { reason: Reason::Refused(refusal), .. }) => Err(unboxed(refusal)?),
        Err(Undone { reason: Reason::Failed(error), .. }) => Err(error.into()),
    }
}

/// A job comes back with what its own closure gave, so the types are the same.
fn unboxed<T: 'static, E: From<Error>>(value: Value) -> Result<T, E> {
    value.downcast().map(|value| *value).map_err(|_| Error::Closed.into())
}

/// Runs a job in an open transaction. A panic becomes an error, and a statement that failed makes the whole fail, whatever the
/// closure made of it.
pub(crate) fn perform(tx: &mut Tx, job: Job) -> Result<Value, Undone> {
    let outcome = match catch_unwind(AssertUnwindSafe(|| job(tx))) {
        Ok(outcome) => outcome.map_err(Reason::Refused),
        Err(_) => Err(Reason::Failed(Error::Panicked)),
    };
    match (outcome, tx.take_failure()) {
        (Ok(value), None) => Ok(value),
        (Ok(_), Some(failure)) => Err(failure.into()),
        (Err(reason), failure) => Err(Undone { reason, failure }),
    }
}

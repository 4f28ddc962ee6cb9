//! Changes that are finished even if their client no longer waits.

use crate::problem::Problem;
use futures_util::future::BoxFuture;
use tokio::{sync::oneshot, task};
use tracing::Instrument;

/// Runs a change of the engine to its end. Without this, a client that hangs up could stop it between its commit and
/// the event that tells the readers of it.
pub(crate) async fn detached<T, E, F>(change: F) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Into<Problem> + Send + 'static,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let (tell, told) = oneshot::channel();
    to_its_end(Box::pin(async move {
        // Whether its caller still waits or not.
        drop(tell.send(change.await));
    }))
    .await?;
    match told.await {
        Ok(outcome) => outcome.map_err(Into::into),
        Err(_) => Err(Problem::internal()),
    }
}

/// The machinery of a task is compiled for each type of future that it runs: here for one.
async fn to_its_end(change: BoxFuture<'static, ()>) -> Result<(), Problem> {
    task::spawn(change.in_current_span()).await.map_err(|error| {
        tracing::error!(panicked = error.is_panic(), "a change did not come to its end");
        Problem::internal()
    })
}

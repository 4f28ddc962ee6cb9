//! Changes that are finished even if their client no longer waits.

use crate::problem::Problem;
use tokio::task;
use tracing::Instrument;

/// Runs a change of the engine to its end. Without this, a client that hangs up could stop it between its commit and
/// the event that tells the readers of it.
pub(crate) async fn detached<T, E, F>(change: F) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Into<Problem> + Send + 'static,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let outcome = task::spawn(change.in_current_span()).await;
    match outcome {
        Ok(outcome) => outcome.map_err(Into::into),
        Err(error) => {
            tracing::error!(panicked = error.is_panic(), "a change did not come to its end");
            Err(Problem::internal())
        }
    }
}

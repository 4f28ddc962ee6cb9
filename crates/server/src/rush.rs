//! Messages on their way in. When more come than can be stored, the next are refused at once, before anything was done
//! for them: what was taken is finished in time, and who was refused knows when to come back.
//!
//! What is counted are messages between being read and being stored. Whatever is short (the processor, the disk, the
//! database), they pile up there; and since the turns that run share all of it with them, a bound on these bounds those.

use crate::problem::Problem;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Messages that are being stored, or wait for it.
const IN_LINE: usize = 64;
/// Of those, how many the database works on: PostgreSQL has a connection for each, and keeps some for everybody else.
const AT_ONCE_ON_POSTGRES: usize = 12;
/// Turns that run at the same time; each holds a conversation in memory.
const RUNNING: usize = 4_000;

#[derive(Clone)]
pub(crate) struct Rush {
    line: Arc<Semaphore>,
    at_once: Arc<Semaphore>,
}

/// A message's place, until it is stored.
pub(crate) struct RushPlace {
    _line: OwnedSemaphorePermit,
    _at_once: OwnedSemaphorePermit,
}

impl Rush {
    pub(crate) fn new(store: &store::Store) -> Self {
        let at_once = if store.kind() == "postgres" { AT_ONCE_ON_POSTGRES } else { IN_LINE };
        Self { line: Arc::new(Semaphore::new(IN_LINE)), at_once: Arc::new(Semaphore::new(at_once)) }
    }

    /// Refuses early what would be refused later: before anybody is asked who they are, and before a body is read.
    pub(crate) fn check(&self, running: usize) -> Result<(), Problem> {
        if self.line.available_permits() == 0 || running >= RUNNING {
            return Err(overloaded());
        }
        Ok(())
    }

    /// A place in the line, and its turn in it.
    pub(crate) async fn enter(&self) -> Result<RushPlace, Problem> {
        let line = self.line.clone().try_acquire_owned().map_err(|_| overloaded())?;
        let at_once = self.at_once.clone().acquire_owned().await.map_err(|_| overloaded())?;
        Ok(RushPlace { _line: line, _at_once: at_once })
    }
}

fn overloaded() -> Problem {
    let detail =
        "More messages arrive than the server can handle. This one was not saved. Send it again in a moment.";
    Problem::unavailable("overloaded", detail)
}

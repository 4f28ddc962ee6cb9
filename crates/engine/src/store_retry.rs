//! Trying again what the database could not do just now.
//!
//! A cut connection or a full disk decides nothing: the worker of a turn keeps its tools running and does the same
//! once more, at once and then in growing intervals. Only what was certainly not stored is tried again
//! ([`store::Error::is_undone`]); the epoch of the turn sees to it that a worker which was away for too long changes nothing.

use crate::{engine::Engine, error::Error};
use domain::TurnId;
use std::time::Duration;
use store::turns::{self, SealedState};

const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);

/// How long a worker or a job waits before it tries again.
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Patience {
    /// Is it worth to try the same again? Waits before it says yes; while the program goes down it says no at once.
    pub(crate) async fn again(&mut self, engine: &Engine, error: &store::Error) -> bool {
        error.is_undone() && self.wait(engine, error).await
    }

    pub(crate) async fn again_after(&mut self, engine: &Engine, error: &Error) -> bool {
        match error {
            Error::Store(error) => self.again(engine, error).await,
            _ => false,
        }
    }

    /// Waits, whatever the error was. `false` when the program goes down meanwhile.
    pub(crate) async fn wait(&mut self, engine: &Engine, error: &store::Error) -> bool {
        if self.0 == FIRST {
            tracing::warn!(%error, "the database cannot do this at the moment; it is tried again");
        }
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        tokio::select! {
            () = engine.inner.halt.cancelled() => false,
            () = tokio::time::sleep(pause) => true,
        }
    }
}

/// What an error of a commit means, after a look where it does not say so itself. A COMMIT that had no answer and is certainly not
/// stored is one that is undone: the worker does the same once more, and its tools run on. Otherwise it stays uncertain, and
/// the turn is taken up again from what is stored.
pub(crate) async fn find_out(
    engine: &Engine,
    (turn, epoch): (TurnId, u64),
    state: SealedState,
    error: store::Error,
) -> store::Error {
    let store::Error::Uncertain(detail) = error else { return error };
    let mut patience = Patience::default();
    loop {
        let state = state.clone();
        let look = move |tx: &mut store::Tx| turns::is_unstored(tx, turn, epoch, &state);
        match engine.store().write(look).await {
            Ok(true) => return store::Error::Unavailable(detail),
            Err(error) if error.is_transient() && patience.wait(engine, &error).await => {}
            Ok(false) | Err(_) => return store::Error::Uncertain(detail),
        }
    }
}

/// How often a tool tries to store what it did. A model that waits for it is better told that the outcome is unknown than
/// nothing for hours.
const MOST_TRIES: u32 = 6;

/// For tools: some tries, and then an answer.
#[derive(Default)]
pub(crate) struct Tries {
    patience: Patience,
    made: u32,
}

impl Tries {
    /// Is there another try left? Waits before it says yes.
    pub(crate) async fn again(&mut self, engine: &Engine, error: &store::Error) -> bool {
        self.made += 1;
        self.made < MOST_TRIES && self.patience.wait(engine, error).await
    }
}

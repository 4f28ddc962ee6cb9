//! How a room sets turns going whose worker lives in a later room: it says so here, and `start.rs` has set who does it.

use crate::{
    claim::{claimed::Claimed, running::Running},
    engine::Engine,
};
use domain::{Event, SessionId, TurnId, UserId};

/// What the rooms behind this one do about turns. None of it keeps its caller waiting.
pub(crate) trait TurnStarter: Send + Sync {
    /// Runs a claimed turn, and those that waited behind it, in a task of its own. `events` are those of its start.
    fn run_turn(&self, engine: &Engine, claimed: Claimed, events: &[Event]);

    /// Starts the next waiting turn of a session in which nothing runs.
    fn start_waiting(&self, engine: &Engine, session: SessionId, user: UserId);

    /// Takes up a turn whose worker had to stop although no process died.
    fn take_up(&self, engine: &Engine, turn: TurnId);

    /// Does what is due about the errands of these turns.
    fn settle_errands(&self, engine: &Engine, turns: Vec<TurnId>);
}

impl Engine {
    /// Once, when the engine starts.
    pub(crate) fn set_turn_starter(&self, starter: impl TurnStarter + 'static) {
        if self.state::<Running>().starter.set(Box::new(starter)).is_err() {
            tracing::error!("turns have a starter already; the second one is not used");
        }
    }

    /// See [`TurnStarter::run_turn`].
    pub(crate) fn run_turn(&self, claimed: Claimed, events: &[Event]) {
        self.with_starter(|starter| starter.run_turn(self, claimed, events));
    }

    /// See [`TurnStarter::start_waiting`].
    pub(crate) fn start_waiting_soon(&self, session: SessionId, user: UserId) {
        self.with_starter(|starter| starter.start_waiting(self, session, user));
    }

    /// See [`TurnStarter::take_up`].
    pub(crate) fn take_up_soon(&self, turn: TurnId) {
        self.with_starter(|starter| starter.take_up(self, turn));
    }

    /// See [`TurnStarter::settle_errands`].
    pub(crate) fn settle_errands_soon(&self, turns: Vec<TurnId>) {
        self.with_starter(|starter| starter.settle_errands(self, turns));
    }

    fn with_starter(&self, then: impl FnOnce(&dyn TurnStarter)) {
        match self.state::<Running>().starter.get() {
            Some(starter) => then(starter.as_ref()),
            None => tracing::error!("turns have no starter; what is stored of them waits for the next start"),
        }
    }
}

//! A turn that goes round in circles: the same call, the same result, again and again.

use crate::State;
use domain::CallId;
use serde::{Deserialize, Serialize};

/// The rounds in which a call has had the same result, from which on the model is told so.
pub const POINTED_OUT: u32 = 3;
/// And after which the turn is stopped.
pub const STOPPED: u32 = 5;
/// The newest outcomes that are remembered. A model that goes in a longer circle is stopped by the limit of steps.
const REMEMBERED: usize = 64;

/// A call and what came of it, by a digest of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    digest: u64,
    /// In how many steps it was seen, and when last.
    rounds: u32,
    step: u32,
}

impl State {
    /// Takes note of what came of a call, before it is settled. Equal calls of one message count once: only a model that
    /// has read a result and asks again goes round in circles.
    pub(crate) fn compare(&mut self, id: CallId, digest: u64) {
        let step = self.step;
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id && !call.is_settled()) else {
            return;
        };
        let known = self.outcomes.iter().position(|outcome| outcome.digest == digest);
        let mut outcome =
            known.map_or(Outcome { digest, rounds: 0, step: 0 }, |place| self.outcomes.remove(place));
        if outcome.step != step {
            outcome = Outcome { digest, rounds: outcome.rounds.saturating_add(1), step };
        }
        call.rounds = outcome.rounds;
        self.outcomes.push(outcome);
        let forgotten = self.outcomes.len().saturating_sub(REMEMBERED);
        self.outcomes.drain(..forgotten);
    }

    /// In how many steps of this turn a call has had the result that it has now.
    pub fn rounds_of(&self, id: CallId) -> u32 {
        self.calls.iter().find(|call| call.id == id).map_or(0, |call| call.rounds)
    }

    pub(crate) fn goes_in_circles(&self) -> bool {
        self.calls.iter().any(|call| call.rounds >= STOPPED)
    }
}

//! Where a turn is.

use crate::{Outcome, Policy};
use domain::{CallId, EffectClass, Limits, TurnOutcome, Usage};
use serde::{Deserialize, Serialize};

/// What the turn waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing has happened yet.
    New,
    /// A message is open and its prompt is being built.
    Prompting,
    /// The model writes.
    Asking,
    /// The message is stored; its calls are on their way.
    Acting,
    /// Over. Nothing changes any more.
    Ended(TurnOutcome),
}

/// Where one call of the current message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// The gate has not spoken.
    Pending,
    /// A person has to speak.
    Waiting,
    Running,
    Settled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallState {
    pub id: CallId,
    pub class: EffectClass,
    pub progress: Progress,
    /// In how many steps of the turn the same call has had the same result, this one included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rounds: u32,
}

impl CallState {
    pub(crate) fn is_settled(&self) -> bool {
        self.progress == Progress::Settled
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(rounds: &u32) -> bool {
    *rounds == 0
}

/// The whole memory of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub limits: Limits,
    pub policy: Policy,
    pub phase: Phase,
    /// Messages begun so far; a message begun again is the same step.
    pub step: u32,
    /// Requests made for the open message.
    pub attempt: u32,
    /// The open message has calls whose intent is stored: it must never be begun again.
    pub committed: bool,
    /// The calls of the current message, in the order the model made them.
    pub calls: Vec<CallState>,
    /// Steering inputs that wait for the next step boundary.
    pub steering: u32,
    /// A hook wants the model to be asked once more.
    pub round_wanted: bool,
    /// Every unsettled call waits for a person, or the next model call does; the wall clock stands still.
    pub parked: bool,
    /// Of the whole turn, also of runs before a retry.
    pub usage: Usage,
    /// What had been written when the turn was begun; the limit counts from there.
    pub output_tokens_before: u64,
    /// What came of the newest calls of the turn, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
}

impl State {
    pub fn new(limits: Limits, policy: Policy) -> Self {
        Self {
            limits,
            policy,
            phase: Phase::New,
            step: 0,
            attempt: 0,
            committed: false,
            calls: Vec::new(),
            steering: 0,
            round_wanted: false,
            parked: false,
            usage: Usage::ZERO,
            output_tokens_before: 0,
            outcomes: Vec::new(),
        }
    }

    /// Is a message open, that is, announced and not yet stored?
    pub fn message_open(&self) -> bool {
        matches!(self.phase, Phase::Prompting | Phase::Asking)
    }

    /// Does any call wait for a person?
    pub fn waits(&self) -> bool {
        self.calls.iter().any(|call| call.progress == Progress::Waiting)
    }

    /// Has it nothing under way but calls that wait for a person?
    pub fn at_rest(&self) -> bool {
        let idle = |call: &CallState| matches!(call.progress, Progress::Waiting | Progress::Settled);
        self.phase == Phase::Acting && self.calls.iter().all(idle)
    }

    pub fn ended(&self) -> Option<TurnOutcome> {
        match self.phase {
            Phase::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Tokens the model may still write before the turn reaches its limit.
    pub fn output_tokens_left(&self) -> u64 {
        let written = self.usage.output_tokens.saturating_sub(self.output_tokens_before);
        self.limits.output_tokens.saturating_sub(written)
    }

    pub(crate) fn call_mut(&mut self, id: CallId) -> Option<&mut CallState> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    pub(crate) fn all_settled(&self) -> bool {
        self.calls.iter().all(|call| call.progress == Progress::Settled)
    }
}

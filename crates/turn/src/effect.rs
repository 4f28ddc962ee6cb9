//! What a turn wants done.
//!
//! The effects of one step are carried out in order. The *durable* ones come first and go into a single transaction
//! together with the new state; the others follow after its commit.

use crate::Again;
use domain::{CallId, ResultStatus, StopReason, TurnOutcome};
use serde::{Deserialize, Serialize};

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    Steps,
    OutputTokens,
    WallSeconds,
    Budget,
    /// The same call has had the same result too often.
    Repetition,
}

/// A last message to the people, written by the program and not by the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    Limit(LimitKind),
    /// The model could not be reached or refused; the engine knows the details.
    Failure,
    /// The turn was recovered too often without getting anywhere.
    NoProgress,
}

/// How a call is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// With what the tool answered.
    Result(ResultStatus),
    /// The gate or a person said no.
    Denied,
    /// The message made more calls than it may.
    TooMany,
    /// The turn was stopped before the call began, or the call could be stopped without harm.
    Stopped,
    /// It had begun and cannot be begun again: the outcome is not known.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    // Durable: rows and events, in one transaction with the state.
    /// Announce the next message of the agent and account for its model call.
    OpenMessage,
    /// Tell readers that the open message begins again; and after which wait, where the model has failed.
    RestartMessage {
        attempt: u32,
        again: Option<Again>,
    },
    /// Store the intent of a call, with the raw text of the message up to its end.
    StoreIntent {
        call: CallId,
    },
    /// Store the open message as it is, with the calls that came with its end.
    StoreMessage {
        stop: StopReason,
    },
    /// Store the result of a call. Exactly one for each call.
    SettleCall {
        call: CallId,
        settlement: Settlement,
    },
    /// Store that a call waits for an answer of a person or an agent, with what they are asked.
    AwaitAnswer {
        call: CallId,
    },
    /// Store the approval of an unknown price that a person is asked for before the model is asked.
    AskPriceApproval,
    /// Release the turn: it waits for an answer and needs no worker.
    Park,
    /// Steering inputs become messages of their people.
    TakeSteering,
    /// Store a last message; it closes the open one if there is one.
    Say(Notice),
    /// The turn is over.
    End(TurnOutcome),

    // Outside: after the commit.
    BuildPrompt,
    AskModel {
        attempt: u32,
        delay_ms: u64,
        max_output_tokens: u64,
    },
    DecideCall {
        call: CallId,
    },
    /// Run the tool. A call that cannot run twice is first marked as begun, durably.
    RunCall {
        call: CallId,
    },
}

impl Effect {
    pub const fn is_durable(&self) -> bool {
        !matches!(
            self,
            Self::BuildPrompt | Self::AskModel { .. } | Self::DecideCall { .. } | Self::RunCall { .. }
        )
    }
}

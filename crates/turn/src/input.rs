//! What can happen to a turn.

use domain::{CallId, CallStatus, EffectClass, ResultStatus, StopReason, Usage};

/// A call the model made. The id is ours and new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewCall {
    pub id: CallId,
    pub class: EffectClass,
}

/// What the gate, or a person, said about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Run,
    Deny,
    /// A person has to be asked.
    Wait,
}

/// How often a model that failed is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It would fail again.
    Never,
    /// It was waited for already, or it answered with nothing: once more may help, and not more often.
    Once,
    /// Each request costs something.
    Few,
    /// It is away, and may come back.
    Patiently,
}

/// Why the model did not finish its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    pub retry: Retry,
    /// How long the provider asks us to wait.
    pub retry_after_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The turn was claimed; or it had ended and is run again with what it has.
    Begin,
    /// The prompt of the open message is built.
    PromptReady,
    /// A call is complete while the model still writes.
    CallProposed(NewCall),
    /// The model finished its message; these calls came with the end of it.
    ModelDone {
        stop: StopReason,
        calls: Vec<NewCall>,
        usage: Usage,
    },
    ModelFailed(Failure),
    /// Decided by the gate, or later by the person it asked.
    CallDecided {
        call: CallId,
        decision: Decision,
    },
    CallDone {
        call: CallId,
        status: ResultStatus,
    },
    /// What came of a call, as a digest of the call and its result; heard before the call is settled.
    CallCompared {
        call: CallId,
        digest: u64,
    },
    /// So many more steering inputs are waiting.
    Steered(u32),
    /// A hook asks for another model call.
    RoundWanted,
    /// The state was loaded after a crash or a lost lease. `stalls` counts recoveries since the last commit;
    /// `calls` is what the rows of the current message's calls say, which is the truth.
    Recovered {
        stalls: u32,
        calls: Vec<(CallId, CallStatus)>,
    },
    /// There is no money for the next model call.
    BudgetRefused,
    /// The price of the next model call is unknown, and a person must approve it.
    PriceApprovalNeeded,
    /// The person has answered; the worker that asks the model reads the answer.
    PriceApprovalAnswered,
    /// A person pressed stop.
    Cancelled,
    /// The wall time is used up.
    Deadline,
}

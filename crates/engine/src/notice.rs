//! The words of the program itself: what a person or a model reads when something did not go as it should.

use domain::{Limits, ResultStatus, TurnError};
use provider::ProviderError;
use turn::{LimitKind, Notice, Settlement};

/// The last message of a turn that did not complete, and the error that goes with it.
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) error: TurnError,
}

pub(crate) fn words(notice: Notice, limits: &Limits, failure: Option<&ProviderError>) -> Words {
    match notice {
        Notice::Limit(kind) => limit(kind, limits),
        Notice::NoProgress => plain(
            "no_progress",
            "I had to give this one up: the program was restarted several times while I was at it, and I got nowhere. \
             Your message is kept; retry when things are calm.",
            true,
        ),
        Notice::Failure => match failure {
            Some(failure) => Words {
                text: format!(
                    "I could not get an answer from the model: {}. {}",
                    failure.detail,
                    failure.advice()
                ),
                error: self::failure(failure),
            },
            None => plain(
                "model_failed",
                "I could not get an answer from the model. Your message is kept; retry.",
                true,
            ),
        },
    }
}

/// Why a model did not answer.
pub(crate) fn failure(failure: &ProviderError) -> TurnError {
    TurnError { code: failure.code().to_owned(), message: failure.detail.clone(), retryable: true }
}

/// Why somebody's session does not go on.
pub(crate) const NOT_SHARED: &str =
    "the agent of this session is no longer shared with you; what was said stays readable";

/// For a turn whose agent its person may no longer use.
pub(crate) fn not_shared() -> Words {
    plain(
        "agent_not_shared",
        "I had to stop here: my owner shares me with you no longer. What was said stays readable.",
        false,
    )
}

/// For a turn of which too little can be read to go on.
pub(crate) fn unreadable() -> Words {
    plain(
        "turn_unreadable",
        "I had to give this one up: what was stored of it cannot be read any more. Your message is kept; retry, and if it \
         happens again, have `majordomo doctor` look at the database.",
        true,
    )
}

fn limit(kind: LimitKind, limits: &Limits) -> Words {
    let (code, text) = match kind {
        LimitKind::Steps => (
            "limit_steps",
            format!(
                "I stopped here: this turn reached its limit of {} steps. Ask me to go on, or raise limits.steps of this agent.",
                limits.steps
            ),
        ),
        LimitKind::OutputTokens => (
            "limit_output_tokens",
            format!(
                "I stopped here: this turn reached its limit of {} output tokens. Ask me to go on, or raise limits.output_tokens of this agent.",
                limits.output_tokens
            ),
        ),
        LimitKind::WallSeconds => (
            "limit_wall_seconds",
            format!(
                "I stopped here: this turn reached its limit of {} seconds. Ask me to go on, or raise limits.wall_seconds of this agent.",
                limits.wall_seconds
            ),
        ),
        LimitKind::Budget => {
            ("limit_budget", "I stopped here: there is no budget left for another model call.".to_owned())
        }
        LimitKind::Repetition => (
            "limit_repetition",
            format!(
                "I stopped here: I made the same call {} times and got the same result each time, so going on would not have \
                 helped. Tell me what to do differently.",
                turn::STOPPED
            ),
        ),
    };
    plain(code, &text, true)
}

/// For a turn that goes on when somebody has done something about it.
pub(crate) fn paused(code: &str, text: &str) -> Words {
    plain(code, text, true)
}

fn plain(code: &str, text: &str, retryable: bool) -> Words {
    Words {
        text: text.to_owned(),
        error: TurnError { code: code.to_owned(), message: text.to_owned(), retryable },
    }
}

/// The result of a call that did not end by itself. The model reads it, so it says what is known.
pub(crate) fn settled_without_result(settlement: Settlement) -> (ResultStatus, &'static str) {
    match settlement {
        Settlement::TooMany => (
            ResultStatus::Denied,
            "not run: this message made more calls than one message may; make the rest in the next one",
        ),
        Settlement::Stopped => (ResultStatus::Error, "not finished: the turn was stopped"),
        Settlement::Unknown => (
            ResultStatus::Unknown,
            "interrupted, outcome unknown: the call had begun when the program or the turn was stopped; it was not run again. \
             Check whether it had its effect before repeating it",
        ),
        Settlement::Denied => (ResultStatus::Denied, "not allowed"),
        Settlement::Result(status) => (status, ""),
    }
}

/// What a model reads behind a result that it has had before.
pub(crate) fn repeated(rounds: u32) -> Option<String> {
    (rounds >= turn::POINTED_OUT).then(|| {
        format!(
            "[This call had this very result {rounds} times in this turn. Making it again will not change that: do something \
             else, or say what is missing. The turn is stopped at the {}th time.]",
            turn::STOPPED
        )
    })
}

/// Why a turn was run although the agent lists something that no longer exists.
pub(crate) fn missing_capabilities(missing: &[String]) -> Option<String> {
    (!missing.is_empty()).then(|| {
        format!(
            "Some capabilities of this agent are not available at the moment ({}). Say so if they would be needed.",
            missing.join(", ")
        )
    })
}

//! The words of the program itself: what a person or a model reads when something did not go as it should.

use domain::{Limits, ResultStatus, TurnError};
use provider::ProviderError;
use turn::{LimitKind, Notice, Settlement};

/// The last message of a turn that did not complete, and the error that goes with it.
pub(crate) struct EndingWords {
    pub(crate) text: String,
    pub(crate) error: TurnError,
}

pub(crate) fn words(notice: Notice, limits: &Limits, failure: Option<&ProviderError>) -> EndingWords {
    match notice {
        Notice::Limit(kind) => limit(kind, limits),
        Notice::NoProgress => plain(
            "no_progress",
            "I gave up on this reply, because the server was restarted several times while I worked on it. Your message is \
             saved. Retry later.",
            true,
        ),
        Notice::Failure => match failure {
            Some(failure) => EndingWords {
                text: format!(
                    "I could not get an answer from the model: {}. {}",
                    failure.detail,
                    failure.advice()
                ),
                error: self::failure(failure),
            },
            None => plain(
                "model_failed",
                "I could not get an answer from the model. Your message is saved. Retry.",
                true,
            ),
        },
    }
}

/// Why a model did not answer.
pub(crate) fn failure(failure: &ProviderError) -> TurnError {
    TurnError { code: failure.code().to_owned(), message: failure.detail.clone(), retryable: true }
}

/// Why a session does not go on.
pub(crate) const NOT_SHARED: &str = "You cannot use the agent of this conversation: it is no longer shared with you, or you have not accepted it. The conversation stays readable.";

/// For a turn whose agent its person may no longer use.
pub(crate) fn not_shared() -> EndingWords {
    plain(
        "agent_not_shared",
        "I had to stop, because my owner no longer shares me with you, or you have not accepted me. The conversation stays readable.",
        false,
    )
}

/// For a turn of which too little can be read to go on.
pub(crate) fn unreadable() -> EndingWords {
    plain(
        "turn_unreadable",
        "I gave up on this reply, because its saved state cannot be read any more. Your message is saved. Retry; if it happens \
         again, ask the owner to run `majordomo doctor`.",
        true,
    )
}

/// For a turn whose person's words cannot be read.
pub(crate) fn unreadable_input() -> EndingWords {
    plain(
        "turn_unreadable",
        "I could not start, because your saved message cannot be read any more. Please send it again; if it happens again, ask \
         the owner to run `majordomo doctor`.",
        false,
    )
}

/// For a turn whose agent is not there any more.
pub(crate) fn agent_gone() -> EndingWords {
    plain(
        "agent_gone",
        "This reply cannot continue, because the agent of this conversation no longer exists. The conversation stays readable; \
         start a new one to continue.",
        false,
    )
}

/// For a turn that came with a backup.
pub(crate) fn restored() -> EndingWords {
    plain(
        "restored",
        "I stopped: the server was restored from a backup, and this reply was still running when the backup was made. The work \
         may have been finished after that backup, so I did not continue by myself. Check what has \
         happened. Then retry, and I continue from here.",
        true,
    )
}

/// For a turn that the database refuses to start.
pub(crate) fn unstartable() -> EndingWords {
    plain(
        "turn_unstartable",
        "I could not start, because the database refused to save this reply. Your message is saved. Check the settings of this \
         agent, for instance the name of its model, and retry.",
        true,
    )
}

fn limit(kind: LimitKind, limits: &Limits) -> EndingWords {
    let (code, text) = match kind {
        LimitKind::Steps => (
            "limit_steps",
            format!(
                "I stopped: this reply reached its limit of {} steps. Ask me to continue, or raise “Model requests per reply” \
                 of this agent.",
                limits.steps
            ),
        ),
        LimitKind::OutputTokens => (
            "limit_output_tokens",
            format!(
                "I stopped: this reply reached its limit of {} output tokens. Ask me to continue, or raise “Tokens it may \
                 write per reply” of this agent.",
                limits.output_tokens
            ),
        ),
        LimitKind::WallSeconds => (
            "limit_wall_seconds",
            format!(
                "I stopped: this reply reached its limit of {} seconds. Ask me to continue, or raise “Seconds per reply” of \
                 this agent.",
                limits.wall_seconds
            ),
        ),
        LimitKind::Budget => (
            "limit_budget",
            "I stopped: there is no budget left for another request to the model.".to_owned(),
        ),
        LimitKind::Repetition => (
            "limit_repetition",
            format!(
                "I stopped: I made the same call {} times and got the same result each time, so continuing would not have helped. \
                 Tell me what to do differently.",
                turn::STOPPED
            ),
        ),
    };
    plain(code, &text, true)
}

/// For a turn that goes on when a person has done something about it.
pub(crate) fn paused(code: &str, text: &str) -> EndingWords {
    plain(code, text, true)
}

fn plain(code: &str, text: &str, retryable: bool) -> EndingWords {
    EndingWords {
        text: text.to_owned(),
        error: TurnError { code: code.to_owned(), message: text.to_owned(), retryable },
    }
}

/// The result of a call that did not end by itself. The model reads it, so it says what is known.
pub(crate) fn settled_without_result(settlement: Settlement) -> (ResultStatus, &'static str) {
    match settlement {
        Settlement::TooMany => (
            ResultStatus::Denied,
            "not run: this message made more calls than allowed; make the rest in the next message",
        ),
        Settlement::Stopped => (ResultStatus::Error, "not finished: the reply was stopped"),
        Settlement::Unknown => (
            ResultStatus::Unknown,
            "interrupted, outcome unknown: the call had started when the server or the reply was stopped; it was not run again. \
             Check whether it had an effect before you repeat it",
        ),
        Settlement::Denied => (ResultStatus::Denied, "not allowed"),
        Settlement::Result(status) => (status, ""),
    }
}

/// The result of a call that had none when a backup was made.
pub(crate) fn settled_by_restore() -> (ResultStatus, &'static str) {
    (
        ResultStatus::Unknown,
        "outcome unknown: the server was restored from a backup that was made before this call had its result; it may have \
         run since, and it was not run again. Check whether it had an effect before you repeat it",
    )
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

//! Why a model did not answer, and what a person can do about it.

use std::time::Duration;

/// The kinds of failure that call for different acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The key is missing, wrong or not allowed to use this model.
    Authentication,
    /// The account has no money or quota left; waiting a minute does not help.
    Quota,
    /// Too many requests; waiting helps.
    RateLimited,
    /// The provider has no room at the moment.
    Overloaded,
    /// The provider failed inside.
    Server,
    /// No connection, or it broke before an answer began.
    Unreachable,
    /// Nothing came for too long.
    Stalled,
    /// The answer broke off before its stop marker.
    Truncated,
    /// The answer is complete, and nothing stands in it.
    Empty,
    /// What came is not an answer of this wire format.
    Protocol,
    /// The prompt is longer than the model's window.
    ContextTooLong,
    /// There is no such model, or no such address.
    UnknownModel,
    /// The provider refuses this request and would refuse it again.
    Refused,
    /// The settings cannot work.
    Configuration,
}

/// A failure of a provider. `detail` is for people and never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ProviderError {
    pub kind: ErrorKind,
    pub detail: String,
    /// How long the provider asked us to wait.
    pub retry_after: Option<Duration>,
    /// The request was sent and nothing of an answer came: it may have been read, and may cost what reading it costs.
    pub unanswered: bool,
}

impl ProviderError {
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after: None, unanswered: false }
    }

    /// May the same request succeed a little later?
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::RateLimited
                | ErrorKind::Overloaded
                | ErrorKind::Server
                | ErrorKind::Unreachable
                | ErrorKind::Stalled
                | ErrorKind::Truncated
                | ErrorKind::Empty
        )
    }

    /// The stable name of the kind, for programs.
    pub const fn code(&self) -> &'static str {
        match self.kind {
            ErrorKind::Authentication => "provider_authentication",
            ErrorKind::Quota => "provider_quota",
            ErrorKind::RateLimited => "provider_rate_limited",
            ErrorKind::Overloaded => "provider_overloaded",
            ErrorKind::Server => "provider_failed",
            ErrorKind::Unreachable => "provider_unreachable",
            ErrorKind::Stalled => "provider_stalled",
            ErrorKind::Truncated => "provider_truncated",
            ErrorKind::Empty => "provider_empty",
            ErrorKind::Protocol => "provider_protocol",
            ErrorKind::ContextTooLong => "context_too_long",
            ErrorKind::UnknownModel => "unknown_model",
            ErrorKind::Refused => "provider_refused",
            ErrorKind::Configuration => "provider_configuration",
        }
    }

    /// What the person should do next, as a sentence.
    pub fn advice(&self) -> String {
        let advice = match self.kind {
            ErrorKind::Authentication => {
                "Check the API key of the provider: it is missing or wrong, or it may not use this model."
            }
            ErrorKind::Quota => "Check the billing page of the provider, or choose another model.",
            ErrorKind::RateLimited => {
                return self.wait_advice("The provider limits how often it can be asked.");
            }
            ErrorKind::Overloaded => return self.wait_advice("The provider is overloaded."),
            ErrorKind::Server => return self.wait_advice("The provider had an error."),
            ErrorKind::Unreachable => {
                "Check that the provider is running and that its base_url and the network are right, then retry."
            }
            ErrorKind::Stalled => {
                "Retry. If it happens again, the model may be too slow or too large for its machine: choose a smaller one."
            }
            ErrorKind::Truncated => "The reply broke off before its end. Retry.",
            ErrorKind::Empty => {
                "Retry, write it differently, allow longer replies (max_tokens), or choose another model."
            }
            ErrorKind::Protocol => {
                "Check the provider's base_url: it should be the address of an OpenAI-compatible API and usually ends in /v1."
            }
            ErrorKind::ContextTooLong => {
                "This conversation is too long for the model. Start a new conversation, or choose a model with a larger window."
            }
            ErrorKind::UnknownModel => {
                "Choose another model. `majordomo doctor` lists the models that were found; base_url usually ends in /v1."
            }
            ErrorKind::Refused => "Change the message or the agent's parameters, or choose another model.",
            ErrorKind::Configuration => {
                "Correct the provider's settings in majordomo.toml or the environment."
            }
        };
        advice.to_owned()
    }

    fn wait_advice(&self, why: &str) -> String {
        match self.retry_after {
            Some(wait) => {
                format!("{why} Retry in {} seconds, or choose another model.", wait.as_secs().max(1))
            }
            None => format!("{why} Wait a moment and retry, or choose another model."),
        }
    }
}

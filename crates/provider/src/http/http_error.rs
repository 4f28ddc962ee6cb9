//! What a provider's refusal means. The words differ, the kinds do not.

use crate::{ErrorKind, ProviderError};
use serde_json::Value;

/// The refusal in an HTTP answer that is not 2xx.
pub(crate) fn refused(status: u16, body: &str) -> ProviderError {
    let words = Words::of(body);
    let kind = kind_of(status, &words);
    let said = if words.message.is_empty() { String::new() } else { format!(": {}", words.message) };
    ProviderError::new(kind, format!("the provider answered {status}{said}"))
}

/// The refusal in the middle of a stream, which has already answered 200.
pub(crate) fn reported(error: &str) -> ProviderError {
    let words = Words::of(error);
    let kind = kind_of(words.status().unwrap_or(500), &words);
    let said = if words.message.is_empty() { "no reason given" } else { &words.message };
    ProviderError::new(kind, format!("the provider failed in the middle of the reply: {said}"))
}

/// What a provider says about its refusal.
struct Words {
    message: String,
    /// Codes and types, joined: what programs are meant to read.
    codes: String,
}

impl Words {
    fn of(body: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            let page = body.trim_start().starts_with('<');
            return Self {
                message: if page { "a web page".into() } else { body.to_owned() },
                codes: String::new(),
            };
        };
        let error = value.get("error").unwrap_or(&value);
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let message = error
            .as_str()
            .or_else(|| text("message"))
            .or_else(|| text("detail"))
            .or_else(|| text("msg"))
            .map_or_else(|| if error.is_null() { String::new() } else { error.to_string() }, str::to_owned);
        let codes = ["code", "type", "status"].iter().filter_map(|name| error.get(*name));
        let codes = codes.map(Value::to_string).collect::<Vec<_>>().join(" ").to_lowercase();
        Self { message, codes }
    }

    /// An HTTP status given inside the body.
    fn status(&self) -> Option<u16> {
        let number = |word: &str| word.trim_matches('"').parse::<u16>().ok();
        if self.codes.contains("rate_limit") {
            return Some(429);
        }
        if self.codes.contains("overloaded") {
            return Some(529);
        }
        if self.codes.contains("authentication") {
            return Some(401);
        }
        if self.codes.contains("invalid_request") {
            return Some(400);
        }
        self.codes.split(' ').filter_map(number).find(|status| (400..600).contains(status))
    }

    fn says_too_long(&self) -> bool {
        const SIGNS: [&str; 5] =
            ["context length", "context window", "context size", "maximum context", "too many tokens"];
        let message = self.message.to_lowercase();
        self.codes.contains("context_length")
            || self.codes.contains("exceed_context")
            || SIGNS.iter().any(|sign| message.contains(sign))
    }

    fn says_no_money(&self) -> bool {
        self.codes.contains("insufficient_quota") || self.codes.contains("billing")
    }
}

fn kind_of(status: u16, words: &Words) -> ErrorKind {
    match status {
        400 | 413 | 422 | 500 if words.says_too_long() => ErrorKind::ContextTooLong,
        413 => ErrorKind::ContextTooLong,
        401 | 403 => ErrorKind::Authentication,
        402 => ErrorKind::Quota,
        429 if words.says_no_money() => ErrorKind::Quota,
        429 => ErrorKind::RateLimited,
        400 | 404 if words.codes.contains("model_not_found") => ErrorKind::UnknownModel,
        404 | 405 | 410 => ErrorKind::UnknownModel,
        408 | 504 => ErrorKind::Stalled,
        503 | 529 => ErrorKind::Overloaded,
        500..=599 => ErrorKind::Server,
        300..=399 => ErrorKind::Configuration,
        400..=499 => ErrorKind::Refused,
        _ => ErrorKind::Protocol,
    }
}

#[cfg(test)]
#[path = "http_error_tests.rs"]
mod tests;

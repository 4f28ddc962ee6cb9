//! Every error that leaves the house, as `application/problem+json`.

mod kinds;

pub use self::kinds::{ProblemKind, problem_kinds};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use std::fmt;

/// Seconds after which it makes sense to try again.
const RETRY_AFTER: u32 = 2;
/// Longer details are cut: some of them quote what was sent.
const DETAIL_CHARACTERS: usize = 400;

/// What went wrong, for a person (`detail`) and for a program (`code`, which never changes its meaning).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    title: &'static str,
    pub(crate) detail: String,
    retry_after: Option<u32>,
}

impl Problem {
    /// A problem of a declared kind. Anything else would be a promise that no document makes: it is an internal error.
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        match kinds::find(code) {
            Some(kind) if kind.status == status.as_u16() => {
                Self { status, code, title: kind.title, detail: detail.into(), retry_after: None }
            }
            _ => {
                tracing::error!(code, status = status.as_u16(), "a problem that is not declared");
                Self::internal()
            }
        }
    }

    pub(crate) fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// The same words whether it does not exist, is another person's, or could not exist.
    pub(crate) fn not_found(noun: &'static str) -> Self {
        engine::Error::NotFound(noun).into()
    }

    pub(crate) fn unauthorized(detail: &'static str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    fn after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    }

    /// Of what one caller has at once.
    pub(crate) fn too_many_at_once(detail: String) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", detail).later()
    }

    pub(crate) fn internal() -> Self {
        let detail = "Something unexpected happened on the server. Its log has the details under the X-Request-Id of this answer.";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { status, code: "internal", title: title(status), detail: detail.to_owned(), retry_after: None }
    }

    pub(crate) fn unavailable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).later()
    }

    fn later(self) -> Self {
        self.after(RETRY_AFTER)
    }

    pub(crate) fn body(&self) -> Value {
        json!({
            "type": format!("urn:majordomo:problem:{}", self.code),
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": self.shown_detail(),
            "code": self.code,
        })
    }

    /// As much of the detail as leaves the house.
    pub(crate) fn shown_detail(&self) -> String {
        self.detail.chars().take(DETAIL_CHARACTERS).collect()
    }

    /// For an error answer that came from below us and has no words of ours.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let code = match status {
            StatusCode::BAD_REQUEST => "bad_request",
            StatusCode::NOT_FOUND => "not_found",
            StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
            _ if status.is_client_error() => "refused",
            _ => return Self { status, ..Self::internal() },
        };
        let title = kinds::find(code).map_or_else(|| title(status), |kind| kind.title);
        Self { status, code, title, detail: title.to_owned(), retry_after: None }
    }
}

fn title(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or("Error")
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status.as_u16(), self.code, self.detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body().to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // For a route whose clients expect their errors in a form of their own.
        response.extensions_mut().insert(self);
        response
    }
}

pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

impl From<engine::PeopleError> for Problem {
    fn from(error: engine::PeopleError) -> Self {
        engine::Error::from(error).into()
    }
}

impl From<engine::Error> for Problem {
    fn from(error: engine::Error) -> Self {
        use engine::Error;
        let detail = error.to_string();
        match error {
            Error::NotFound(_) => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            Error::Invalid { code, .. } => Self::bad_request(code, detail),
            Error::Conflict { code, .. } => Self::new(StatusCode::CONFLICT, code, detail),
            Error::Unauthorized { code, .. } => Self::new(StatusCode::UNAUTHORIZED, code, detail),
            Error::Forbidden { code, .. } => Self::new(StatusCode::FORBIDDEN, code, detail),
            Error::TooMany { code, seconds, .. } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, code, detail).after(seconds)
            }
            Error::IdempotencyMismatch => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_mismatch", detail)
            }
            Error::TooLarge(_) => Self::too_large(detail),
            Error::UnsupportedMedia { code, .. } => {
                Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, detail)
            }
            Error::QueueFull => Self::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", detail).later(),
            Error::TooSlow => Self::unavailable("too_slow", detail),
            Error::ShuttingDown => Self::unavailable("shutting_down", detail),
            Error::Store(error) => error.into(),
            Error::Internal => {
                tracing::error!("the engine failed");
                Self::internal()
            }
        }
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::NotFound => Self::new(StatusCode::NOT_FOUND, "not_found", error.to_string()),
            store::Error::BadCursor => Self::bad_request("bad_cursor", error.to_string()),
            store::Error::Closed => {
                Self::unavailable("shutting_down", "The server is shutting down. Try again in a moment.")
            }
            store::Error::Full(_) => {
                tracing::error!(%error, "nothing can be stored");
                let detail = "The disk of the server is full, so nothing new can be saved. \
                              Free some space there and try again. Saved conversations can still be read.";
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", detail).later()
            }
            store::Error::ReadOnly(_) => {
                tracing::warn!(%error, "nothing can be stored");
                let detail =
                    "The database can only be read at the moment, so nothing new can be saved. Try again.";
                Self::unavailable("unavailable", detail)
            }
            store::Error::NewerMasterKey { .. } => {
                tracing::error!(%error, "what is encrypted with the new key cannot be read");
                let detail = "The master key was changed by another server, and this one does not have the new key. \
                              Ask the owner to give this server the new key and to restart it.";
                Self::unavailable("unavailable", detail)
            }
            error if error.is_transient() => {
                tracing::warn!(%error, "the database cannot work at the moment");
                Self::unavailable("unavailable", "The database does not answer at the moment. Try again.")
            }
            error => {
                tracing::error!(%error, "the database failed");
                Self::internal()
            }
        }
    }
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;

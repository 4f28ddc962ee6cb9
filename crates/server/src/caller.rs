//! For whom a handler works.

use crate::problem::Problem;
use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use domain::{Answers, Scope, Source, UserId, UserRole};
use engine::{Principal, Watch};

/// Put into the request by the guard of the route; a handler that asks for it on a public route answers 500.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) user_id: UserId,
    pub(crate) role: UserRole,
    pub(crate) source: Source,
    pub(crate) principal: Principal,
    /// Ends when they may not go on. The guard ends requests and streamed answers by it; only what lives on beyond the
    /// answer, as a WebSocket does, must look at it itself.
    pub(crate) watch: Watch,
}

impl Caller {
    /// May they take part in a conversation, or only look?
    pub(crate) fn may_talk(&self) -> bool {
        self.principal.scope().is_none_or(|scope| matches!(scope, Scope::Full | Scope::Chat))
    }

    /// Of keys, only a full one approves or denies, whichever way it says so.
    pub(crate) fn check_decides(&self) -> Result<(), Problem> {
        if self.principal.scope().is_none_or(|scope| scope == Scope::Full) {
            return Ok(());
        }
        let detail = "This API key may not approve or deny. Use a key with full access, or sign in.";
        Err(Problem::new(StatusCode::FORBIDDEN, "scope_insufficient", detail))
    }

    /// May they answer what their message names?
    pub(crate) fn check_answers(&self, answers: Option<Answers>) -> Result<(), Problem> {
        match answers {
            Some(Answers::ApprovalId(_)) => self.check_decides(),
            Some(Answers::QuestionId(_)) | None => Ok(()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            tracing::error!("a handler wants a caller on a route that is open to everybody");
            Problem::internal()
        })
    }
}

/// As [`Caller`], where a route may be called before there is anybody.
pub(crate) struct MaybeCaller(pub(crate) Option<Caller>);

impl<S: Send + Sync> FromRequestParts<S> for MaybeCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Ok(Self(parts.extensions.get::<Caller>().cloned()))
    }
}

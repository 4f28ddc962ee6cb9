//! For whom a handler works.

use crate::problem::Problem;
use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{Scope, Source, UserId};

/// Put into the request by the guard of the route; a handler that asks for it on a public route answers 500.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) user_id: UserId,
    pub(crate) source: Source,
    /// What the key allows; none for a person themself.
    pub(crate) scope: Option<Scope>,
}

impl Caller {
    /// May they take part in a conversation, or only look?
    pub(crate) fn may_talk(&self) -> bool {
        self.scope.is_none_or(|scope| matches!(scope, Scope::Full | Scope::Chat))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().copied().ok_or_else(|| {
            tracing::error!("a handler wants a caller on a route that is open to everybody");
            Problem::internal()
        })
    }
}

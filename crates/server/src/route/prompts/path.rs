use crate::{
    describe::{shape::Shape, takes::Takes},
    problem::Problem,
};
use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use domain::{MessageId, SessionId};

/// Which prompt of which message. Whatever is no id names nothing.
pub(crate) struct PromptPath {
    pub(crate) session: SessionId,
    pub(crate) message: MessageId,
    pub(crate) prompt: String,
}

impl<S: Send + Sync> FromRequestParts<S> for PromptPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unknown = || Problem::not_found("prompt");
        let path = Path::<(String, String, String)>::from_request_parts(parts, state).await;
        let Path((session, message, prompt)) = path.map_err(|_| unknown())?;
        let session = session.parse().map_err(|_| Problem::not_found("session"))?;
        let message = message.parse().map_err(|_| Problem::not_found("message"))?;
        Ok(Self { session, message, prompt })
    }
}

impl Takes for PromptPath {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<SessionId>();
        shape.path::<MessageId>();
        shape.path::<String>();
        shape.codes(&["not_found"]);
    }
}

//! The messages that wait in a session.

use crate::{
    app::App,
    caller::Caller,
    describe::{shape::Shape, takes::Takes},
    json::Json,
    lists::List,
    problem::Problem,
    request::extract::Id,
};
use axum::{
    extract::{FromRequestParts, Path, State},
    http::request::Parts,
};
use domain::{SessionId, TurnId};
use engine::QueuedMessage;

/// Which message of which session, by the turn that it will begin. Whatever is no id names nothing.
pub(crate) struct QueuePath {
    session: SessionId,
    turn: TurnId,
}

impl<S: Send + Sync> FromRequestParts<S> for QueuePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unknown = || Problem::not_found("queued message");
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((session, turn)) = path.map_err(|_| unknown())?;
        let session = session.parse().map_err(|_| Problem::not_found("session"))?;
        Ok(Self { session, turn: turn.parse().map_err(|_| unknown())? })
    }
}

impl Takes for QueuePath {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<SessionId>();
        shape.path::<TurnId>();
        shape.codes(&["not_found"]);
    }
}

pub(crate) async fn queue(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<List<QueuedMessage>>, Problem> {
    Ok(List::whole(app.engine.queued_messages(caller.user_id, id).await?))
}

pub(crate) async fn take_back(
    State(app): State<App>,
    caller: Caller,
    QueuePath { session, turn }: QueuePath,
) -> Result<Json<QueuedMessage>, Problem> {
    Ok(Json(app.engine.take_back(caller.user_id, session, turn).await?))
}

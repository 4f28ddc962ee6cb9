//! Versions of a conversation.

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::List,
    problem::Problem,
    request::{
        body::JsonBody,
        extract::{Id, IdempotencyKey},
    },
};
use axum::{extract::State, http::StatusCode};
use domain::{Cursor, Session, SessionId, TurnId};
use engine::{MessageVersions, NewVersion};
use schemars::JsonSchema;
use serde::Serialize;

/// The session of a new version, and the turn that has begun in it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MadeVersion {
    session: Session,
    turn_id: TurnId,
    /// Following the session's events from here shows the turn.
    cursor: Cursor,
}

pub(crate) async fn versions(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<List<MessageVersions>>, Problem> {
    Ok(List::whole(app.engine.versions(caller.user_id, id).await?))
}

pub(crate) async fn create_version(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(new): JsonBody<NewVersion>,
) -> Result<(StatusCode, Json<MadeVersion>), Problem> {
    let place = app.overload.enter(app.running()).await?;
    let made = app.engine.create_version(caller.user_id, id, new, caller.source, key).await;
    drop(place);
    let (session, accepted) = made?;
    let cursor = Cursor { seq: accepted.after, offset: 0 };
    Ok((StatusCode::CREATED, Json(MadeVersion { session, turn_id: accepted.turn_id, cursor })))
}

pub(crate) async fn show_version(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<Session>, Problem> {
    app.engine.show_version(caller.user_id, id).await?;
    Ok(Json(app.engine.session(caller.user_id, id).await?))
}

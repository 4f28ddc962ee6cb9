use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{
        body::MaybeBody,
        extract::{Id, IdempotencyKey},
    },
};
use axum::{extract::State, http::StatusCode};
use domain::{Session, SessionId};
use engine::Fork;

pub(crate) async fn fork(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    IdempotencyKey(key): IdempotencyKey,
    MaybeBody(fork): MaybeBody<Fork>,
) -> Result<(StatusCode, Json<Session>), Problem> {
    let session = app.engine.fork_session(caller.user_id, id, fork, key).await?;
    Ok((StatusCode::CREATED, Json(session)))
}

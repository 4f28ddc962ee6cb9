use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::Session;
use engine::NewSession;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<(StatusCode, Json<Session>), Problem> {
    let session = app.engine.create_session_once(caller.user_id, new, key).await?;
    Ok((StatusCode::CREATED, Json(session)))
}

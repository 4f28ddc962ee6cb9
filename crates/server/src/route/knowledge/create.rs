use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::KnowledgeEntry;
use engine::NewEntry;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(new): JsonBody<NewEntry>,
) -> Result<(StatusCode, Json<KnowledgeEntry>), Problem> {
    let made = detached(async move { app.engine.remember(&caller.principal, new, key).await }).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

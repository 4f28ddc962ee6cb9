use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::{Folder, FolderText};

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(text): JsonBody<FolderText>,
) -> Result<(StatusCode, Json<Folder>), Problem> {
    let folder = app.engine.create_folder(caller.user_id, text, key).await?;
    Ok((StatusCode::CREATED, Json(folder)))
}

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::{SavedPrompt, SavedPromptText};

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(text): JsonBody<SavedPromptText>,
) -> Result<(StatusCode, Json<SavedPrompt>), Problem> {
    let prompt = app.engine.save_prompt(caller.user_id, text, key).await?;
    Ok((StatusCode::CREATED, Json(prompt)))
}

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::{Ability, AbilityText};

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(text): JsonBody<AbilityText>,
) -> Result<(StatusCode, Json<Ability>), Problem> {
    let ability = app.engine.create_ability_once(caller.user_id, text, key).await?;
    Ok((StatusCode::CREATED, Json(ability)))
}

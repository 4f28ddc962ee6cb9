use crate::{app::App, body::JsonBody, caller::Caller, problem::Problem};
use axum::{Json, extract::State, http::StatusCode};
use domain::{Ability, AbilityText};

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    JsonBody(text): JsonBody<AbilityText>,
) -> Result<(StatusCode, Json<Ability>), Problem> {
    let ability = app.engine.create_ability(caller.user_id, text).await?;
    Ok((StatusCode::CREATED, Json(ability)))
}

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Ability, AbilityId, AbilityText};

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AbilityId>,
    JsonBody(text): JsonBody<AbilityText>,
) -> Result<Json<Ability>, Problem> {
    Ok(Json(app.engine.replace_ability(caller.user_id, id, text).await?))
}

use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{Ability, AbilityId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AbilityId>,
) -> Result<Json<Ability>, Problem> {
    Ok(Json(app.engine.ability(caller.user_id, id).await?))
}

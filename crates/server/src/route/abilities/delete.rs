use crate::{app::App, caller::Caller, problem::Problem, request::extract::Id};
use axum::{extract::State, http::StatusCode};
use domain::AbilityId;

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AbilityId>,
) -> Result<StatusCode, Problem> {
    app.engine.delete_ability(caller.user_id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

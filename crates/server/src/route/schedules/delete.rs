use crate::{app::App, caller::Caller, problem::Problem, request::extract::Id};
use axum::{extract::State, http::StatusCode};
use domain::ScheduleId;

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
) -> Result<StatusCode, Problem> {
    app.engine.delete_schedule(caller.user_id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

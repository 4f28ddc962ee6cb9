use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{Schedule, ScheduleId};

pub(crate) async fn pause(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
) -> Result<Json<Schedule>, Problem> {
    Ok(Json(app.engine.pause_schedule(caller.user_id, id).await?))
}

pub(crate) async fn resume(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
) -> Result<Json<Schedule>, Problem> {
    Ok(Json(app.engine.resume_schedule(caller.user_id, id).await?))
}

use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{Schedule, ScheduleId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
) -> Result<Json<Schedule>, Problem> {
    Ok(Json(app.engine.schedule(caller.user_id, id).await?))
}

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Schedule, ScheduleId};
use engine::ScheduleChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
    JsonBody(change): JsonBody<ScheduleChange>,
) -> Result<Json<Schedule>, Problem> {
    Ok(Json(app.engine.change_schedule(caller.user_id, id, change).await?))
}

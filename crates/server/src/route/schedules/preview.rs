use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::State;
use engine::{PreviewedWhen, SchedulePreview};

pub(crate) async fn preview(
    State(app): State<App>,
    caller: Caller,
    JsonBody(asked): JsonBody<PreviewedWhen>,
) -> Result<Json<SchedulePreview>, Problem> {
    Ok(Json(app.engine.preview_schedule(caller.user_id, &asked.when).await?))
}

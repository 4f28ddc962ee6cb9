use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::Schedule;
use engine::NewSchedule;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(new): JsonBody<NewSchedule>,
) -> Result<(StatusCode, Json<Schedule>), Problem> {
    let schedule = app.engine.create_schedule(caller.user_id, new, key).await?;
    Ok((StatusCode::CREATED, Json(schedule)))
}

use crate::{app::App, body::JsonBody, caller::Caller, problem::Problem};
use axum::{Json, extract::State, http::StatusCode};
use domain::Agent;
use engine::AgentFields;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    JsonBody(fields): JsonBody<AgentFields>,
) -> Result<(StatusCode, Json<Agent>), Problem> {
    let agent = app.engine.create_agent(&caller.principal, fields).await?;
    Ok((StatusCode::CREATED, Json(agent)))
}

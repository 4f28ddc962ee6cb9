use super::view::AgentView;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use engine::AgentFields;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(fields): JsonBody<AgentFields>,
) -> Result<(StatusCode, Json<AgentView>), Problem> {
    let agent = app.engine.create_agent_once(&caller.principal, fields, "agent", key).await?;
    let view = AgentView::new(agent, &caller, &app).await?;
    Ok((StatusCode::CREATED, Json(view)))
}

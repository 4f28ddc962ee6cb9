use crate::{app::App, caller::Caller, problem::Problem, request::extract::Id};
use axum::{extract::State, http::StatusCode};
use domain::AgentId;

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<StatusCode, Problem> {
    app.engine.delete_agent(&caller.principal, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

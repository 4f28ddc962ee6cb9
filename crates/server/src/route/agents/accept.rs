use super::view::AgentView;
use crate::{
    app::App, caller::Caller, connection::detached::detached, json::Json, problem::Problem,
    request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::AgentId;

/// Takes an agent that another person shares with the caller.
pub(crate) async fn accept(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<Json<AgentView>, Problem> {
    let (engine, principal) = (app.engine.clone(), caller.principal);
    let agent = detached(async move { engine.accept_agent(&principal, id).await }).await?;
    AgentView::new(agent, &caller, &app).await.map(Json)
}

/// Uses it no longer.
pub(crate) async fn decline(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.decline_agent(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

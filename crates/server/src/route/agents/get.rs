use super::view::AgentView;
use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::AgentId;

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<Json<AgentView>, Problem> {
    let agent = app.engine.agent(caller.user_id, id).await?;
    AgentView::new(agent, &caller, &app).await.map(Json)
}

use crate::{app::App, caller::Caller, extract::Id, problem::Problem};
use axum::{Json, extract::State};
use domain::{Agent, AgentId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<Json<Agent>, Problem> {
    Ok(Json(app.engine.agent(caller.user_id, id).await?))
}

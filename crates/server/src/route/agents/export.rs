use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::AgentId;
use engine::AgentFile;

pub(crate) async fn export(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
) -> Result<Json<AgentFile>, Problem> {
    Ok(Json(app.engine.export_agent(caller.user_id, id).await?))
}

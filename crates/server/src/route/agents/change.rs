use super::view::AgentView;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::AgentId;
use engine::AgentFields;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
    JsonBody(fields): JsonBody<AgentFields>,
) -> Result<Json<AgentView>, Problem> {
    let agent = app.engine.change_agent(&caller.principal, id, fields).await?;
    AgentView::new(agent, &caller, &app).await.map(Json)
}

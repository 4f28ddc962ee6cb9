use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::AgentId;
use engine::{Preview, PreviewQuestion};

pub(crate) async fn preview(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AgentId>,
    JsonBody(asked): JsonBody<PreviewQuestion>,
) -> Result<Json<Preview>, Problem> {
    Ok(Json(app.engine.preview_prompt(caller.user_id, id, asked).await?))
}

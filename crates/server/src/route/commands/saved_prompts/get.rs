use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{SavedPrompt, SavedPromptId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SavedPromptId>,
) -> Result<Json<SavedPrompt>, Problem> {
    Ok(Json(app.engine.saved_prompt(caller.user_id, id).await?))
}

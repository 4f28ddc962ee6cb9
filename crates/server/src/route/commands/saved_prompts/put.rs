use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{SavedPrompt, SavedPromptId, SavedPromptText};

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SavedPromptId>,
    JsonBody(text): JsonBody<SavedPromptText>,
) -> Result<Json<SavedPrompt>, Problem> {
    Ok(Json(app.engine.replace_saved_prompt(caller.user_id, id, text).await?))
}

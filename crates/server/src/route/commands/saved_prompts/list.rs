use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::SavedPrompt;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<SavedPrompt>>, Problem> {
    Ok(Json(app.engine.saved_prompts(caller.user_id, query.page()?).await?.into()))
}

use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{EntryId, KnowledgeEntry};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<EntryId>,
) -> Result<Json<KnowledgeEntry>, Problem> {
    Ok(Json(app.engine.knowledge_entry(caller.user_id, id).await?))
}

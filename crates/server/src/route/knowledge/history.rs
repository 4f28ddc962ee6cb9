use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{EntryId, EntryVersion};

pub(crate) async fn history(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<EntryId>,
) -> Result<Json<List<EntryVersion>>, Problem> {
    Ok(List::whole(app.engine.knowledge_history(caller.user_id, id).await?))
}

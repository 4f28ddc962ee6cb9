use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, page},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::{EntryState, KnowledgeEntry, KnowledgeStore};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnowledgeQuery {
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// `memory` unless you say something else.
    store: Option<KnowledgeStore>,
    /// `kept`: what is in force, unless you say something else. `proposed`: what waits for you, changes of what is in force included.
    state: Option<EntryState>,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<KnowledgeQuery>,
) -> Result<Json<List<KnowledgeEntry>>, Problem> {
    let wanted = (query.store.unwrap_or(KnowledgeStore::Memory), query.state.unwrap_or(EntryState::Kept));
    let page = page(query.limit.as_deref(), query.cursor)?;
    Ok(Json(app.engine.knowledge(caller.user_id, wanted, page).await?.into()))
}

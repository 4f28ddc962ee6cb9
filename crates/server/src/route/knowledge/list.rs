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
    /// `memory` unless you say something else; where you search, both unless you say one.
    store: Option<KnowledgeStore>,
    /// `kept`: what is in force, unless you say something else. `proposed`: what waits for you, changes of what is in force included.
    state: Option<EntryState>,
    /// Words to search for.
    q: Option<String>,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<KnowledgeQuery>,
) -> Result<Json<List<KnowledgeEntry>>, Problem> {
    let state = query.state.unwrap_or(EntryState::Kept);
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = match query.q {
        Some(words) => {
            app.engine.search_knowledge(caller.user_id, (query.store, state), &words, page).await?
        }
        None => {
            let store = query.store.unwrap_or(KnowledgeStore::Memory);
            app.engine.knowledge(caller.user_id, (store, state), page).await?
        }
    };
    Ok(Json(found.into()))
}

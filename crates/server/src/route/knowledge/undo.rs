use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{
        body::JsonBody,
        extract::{Id, Once},
    },
};
use axum::extract::State;
use domain::{EntryId, KnowledgeEntry};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryUndo {
    /// The version to go back to, which was in force once; absent: the one before.
    #[serde(default)]
    version: Option<u64>,
}

pub(crate) async fn undo(
    State(app): State<App>,
    caller: Caller,
    _once: Once,
    Id(id): Id<EntryId>,
    JsonBody(EntryUndo { version }): JsonBody<EntryUndo>,
) -> Result<Json<KnowledgeEntry>, Problem> {
    detached(async move { app.engine.undo_entry(&caller.principal, id, version).await }).await.map(Json)
}

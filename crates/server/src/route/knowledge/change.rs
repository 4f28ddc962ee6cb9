use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{EntryId, KnowledgeEntry};
use engine::EntryFields;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<EntryId>,
    JsonBody(fields): JsonBody<EntryFields>,
) -> Result<Json<KnowledgeEntry>, Problem> {
    detached(async move { app.engine.change_entry(&caller.principal, id, fields).await }).await.map(Json)
}

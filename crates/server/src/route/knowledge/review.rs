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
use engine::EntryReview;

pub(crate) async fn review(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<EntryId>,
    JsonBody(review): JsonBody<EntryReview>,
) -> Result<Json<KnowledgeEntry>, Problem> {
    detached(async move { app.engine.review_entry(&caller.principal, id, review).await }).await.map(Json)
}

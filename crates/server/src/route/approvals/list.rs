use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::Approval;

/// What waits for a yes of the caller, in all sessions, the oldest first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Approval>>, Problem> {
    Ok(Json(app.engine.approvals(caller.user_id, query.page()?).await?.into()))
}

use super::view::AgentView;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;

/// One's own, and those that are shared.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<AgentView>>, Problem> {
    let List { items, total, total_is_more, next_cursor } =
        app.engine.agents(caller.user_id, query.page()?).await?.into();
    let items = AgentView::all(items, &caller, &app).await?;
    Ok(Json(List { items, total, total_is_more, next_cursor }))
}

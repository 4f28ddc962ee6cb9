use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::Rule;

/// The caller's own rules and those of the house, the oldest first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Rule>>, Problem> {
    Ok(Json(app.engine.rules(&caller.principal, query.page()?).await?.into()))
}

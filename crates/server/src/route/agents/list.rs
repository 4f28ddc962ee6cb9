use crate::{
    app::App,
    caller::Caller,
    extract::Query,
    lists::{List, PageQuery},
    problem::Problem,
};
use axum::{Json, extract::State};
use domain::Agent;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Agent>>, Problem> {
    let agents = app.engine.agents(caller.user_id, query.page()?).await?;
    Ok(Json(agents.into()))
}

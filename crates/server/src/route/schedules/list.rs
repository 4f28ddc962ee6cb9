use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::Schedule;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Schedule>>, Problem> {
    Ok(Json(app.engine.schedules(caller.user_id, query.page()?).await?.into()))
}

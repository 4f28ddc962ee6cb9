use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::{Id, Query},
};
use axum::extract::State;
use domain::{ScheduleId, ScheduleRun};

pub(crate) async fn runs(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ScheduleId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<ScheduleRun>>, Problem> {
    Ok(Json(app.engine.schedule_runs(caller.user_id, id, query.page()?).await?.into()))
}

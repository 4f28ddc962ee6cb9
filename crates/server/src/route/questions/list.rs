use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::Question;

/// The questions that wait for the caller, the oldest first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Question>>, Problem> {
    Ok(Json(app.engine.questions(caller.user_id, query.page()?).await?.into()))
}

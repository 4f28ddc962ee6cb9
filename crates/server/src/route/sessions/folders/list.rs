use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, PageQuery},
    problem::Problem,
    request::extract::Query,
};
use axum::extract::State;
use domain::Folder;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<List<Folder>>, Problem> {
    Ok(Json(app.engine.folders(caller.user_id, query.page()?).await?.into()))
}

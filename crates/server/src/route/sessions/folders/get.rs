use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{Folder, FolderId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<FolderId>,
) -> Result<Json<Folder>, Problem> {
    Ok(Json(app.engine.folder(caller.user_id, id).await?))
}

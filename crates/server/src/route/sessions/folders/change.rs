use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Folder, FolderId};
use engine::FolderChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<FolderId>,
    JsonBody(change): JsonBody<FolderChange>,
) -> Result<Json<Folder>, Problem> {
    detached(async move { app.engine.change_folder(caller.user_id, id, change).await }).await.map(Json)
}

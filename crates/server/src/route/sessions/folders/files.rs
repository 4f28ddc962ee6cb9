//! Files of a folder.

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::List,
    problem::Problem,
    request::{
        body::JsonBody,
        extract::{Id, Once, Within},
    },
};
use axum::{extract::State, http::StatusCode};
use domain::{FolderFile, FolderId, UploadId};
use engine::NewFolderFile;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<FolderId>,
) -> Result<Json<List<FolderFile>>, Problem> {
    Ok(List::whole(app.engine.folder_files(caller.user_id, id).await?))
}

pub(crate) async fn add(
    State(app): State<App>,
    caller: Caller,
    _once: Once,
    Id(id): Id<FolderId>,
    JsonBody(new): JsonBody<NewFolderFile>,
) -> Result<Json<FolderFile>, Problem> {
    Ok(Json(app.engine.add_folder_file(&caller.principal, id, new).await?))
}

pub(crate) async fn remove(
    State(app): State<App>,
    caller: Caller,
    Within(folder, upload): Within<FolderId, UploadId>,
) -> Result<StatusCode, Problem> {
    app.engine.remove_folder_file(caller.user_id, folder, upload).await?;
    Ok(StatusCode::NO_CONTENT)
}

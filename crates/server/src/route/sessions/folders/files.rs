//! Files of a folder.

use crate::{
    app::App,
    caller::Caller,
    describe::{shape::Shape, takes::Takes},
    json::Json,
    lists::List,
    problem::Problem,
    request::{
        body::JsonBody,
        extract::{Id, Once},
    },
};
use axum::{
    extract::{FromRequestParts, Path, State},
    http::{StatusCode, request::Parts},
};
use domain::{FolderFile, FolderId, UploadId};
use engine::NewFolderFile;

/// Which file of which folder. Whatever is no id names nothing.
pub(crate) struct FolderFilePath {
    folder: FolderId,
    upload: UploadId,
}

impl<S: Send + Sync> FromRequestParts<S> for FolderFilePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unknown = || Problem::not_found("file");
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((folder, upload)) = path.map_err(|_| unknown())?;
        let folder = folder.parse().map_err(|_| unknown())?;
        Ok(Self { folder, upload: upload.parse().map_err(|_| unknown())? })
    }
}

impl Takes for FolderFilePath {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<FolderId>();
        shape.path::<UploadId>();
        shape.codes(&["not_found"]);
    }
}

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
    Ok(Json(app.engine.add_folder_file(caller.user_id, id, new).await?))
}

pub(crate) async fn remove(
    State(app): State<App>,
    caller: Caller,
    FolderFilePath { folder, upload }: FolderFilePath,
) -> Result<StatusCode, Problem> {
    app.engine.remove_folder_file(caller.user_id, folder, upload).await?;
    Ok(StatusCode::NO_CONTENT)
}

use super::address::parse;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::extract::{Id, Query},
};
use axum::extract::State;
use domain::{FileInfo, FilePath, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatQuery {
    /// The file or folder; `/` by default.
    path: Option<String>,
}

/// What is at a path.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileState {
    path: FilePath,
    exists: bool,
    /// Null when nothing is there.
    file: Option<FileInfo>,
}

pub(crate) async fn stat(
    State(app): State<App>,
    caller: Caller,
    Id(session): Id<SessionId>,
    Query(query): Query<StatQuery>,
) -> Result<Json<FileState>, Problem> {
    let path = parse(query.path.as_deref().unwrap_or("/"))?;
    let file = app.engine.file_info(caller.user_id, session, path.clone()).await?;
    Ok(Json(FileState { path, exists: file.is_some(), file }))
}

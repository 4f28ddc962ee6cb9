use super::address::parse;
use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{self, List},
    problem::Problem,
    request::extract::{Id, Query},
};
use axum::extract::State;
use domain::{FileInfo, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FolderQuery {
    /// The folder; `/` by default.
    path: Option<String>,
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Id(session): Id<SessionId>,
    Query(query): Query<FolderQuery>,
) -> Result<Json<List<FileInfo>>, Problem> {
    let folder = parse(query.path.as_deref().unwrap_or("/"))?;
    let page = lists::page(query.limit.as_deref(), query.cursor)?;
    let files = app.engine.files(caller.user_id, session, folder, page).await?;
    Ok(Json(files.into()))
}

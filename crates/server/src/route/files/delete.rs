use super::FileAddress;
use crate::{
    app::App,
    caller::Caller,
    problem::Problem,
    request::extract::{Query, parameter},
};
use axum::{extract::State, http::StatusCode};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteQuery {
    /// A folder with everything in it.
    #[schemars(with = "Option<bool>")]
    recursive: Option<String>,
}

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    FileAddress { session, path }: FileAddress,
    Query(query): Query<DeleteQuery>,
) -> Result<StatusCode, Problem> {
    let recursive = parameter("recursive", query.recursive.as_deref(), "true or false")?.unwrap_or(false);
    app.engine.delete_file(caller.user_id, session, path, recursive).await?;
    Ok(StatusCode::NO_CONTENT)
}

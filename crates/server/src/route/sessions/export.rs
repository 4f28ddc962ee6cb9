use crate::{
    app::App,
    attachment,
    caller::Caller,
    problem::Problem,
    request::extract::{Id, Query},
};
use axum::{
    body::{Body, Bytes},
    extract::State,
    response::{IntoResponse, Response},
};
use domain::SessionId;
use engine::Export;
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    /// `markdown` (the default) or `json`.
    format: Option<String>,
}

/// The whole conversation as a file, read and sent piece by piece.
pub(crate) async fn export(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    Query(query): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let export = app.engine.export_session(caller.user_id, id, query.format.as_deref()).await?;
    let (name, mime_type) = (export.file_name(), export.mime_type());
    let mut response = Body::from_stream(unfold(Some(export), next)).into_response();
    attachment::describe_open(response.headers_mut(), &name, mime_type)?;
    Ok(response)
}

async fn next(export: Option<Export>) -> Option<(Result<Bytes, engine::Error>, Option<Export>)> {
    let mut export = export?;
    match export.next().await {
        Ok(piece) => piece.map(|piece| (Ok(piece.into()), Some(export))),
        Err(error) => Some((Err(error), None)),
    }
}

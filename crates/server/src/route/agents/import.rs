use super::view::AgentView;
use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{
        body::JsonBody,
        extract::{IdempotencyKey, Query},
    },
};
use axum::{extract::State, http::StatusCode};
use engine::AgentFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportQuery {
    /// Another name than that in the file.
    r#as: Option<String>,
}

/// What came of a file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ImportView {
    #[serde(flatten)]
    agent: AgentView,
    /// What the file asked for and was not given.
    warnings: Vec<String>,
}

pub(crate) async fn import(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    Query(query): Query<ImportQuery>,
    JsonBody(file): JsonBody<AgentFile>,
) -> Result<(StatusCode, Json<ImportView>), Problem> {
    let engine = app.engine.clone();
    let principal = caller.principal;
    let importing = async move { engine.import_agent(&principal, file, query.r#as, key).await };
    let engine::ImportedAgent { agent, warnings } = detached(importing).await?;
    let agent = AgentView::new(agent, &caller, &app).await?;
    Ok((StatusCode::CREATED, Json(ImportView { agent, warnings })))
}

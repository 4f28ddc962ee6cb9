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
use engine::{AgentFile, ImportedAgent};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportQuery {
    /// Another name than that in the file.
    r#as: Option<String>,
}

pub(crate) async fn import(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    Query(query): Query<ImportQuery>,
    JsonBody(file): JsonBody<AgentFile>,
) -> Result<(StatusCode, Json<ImportedAgent>), Problem> {
    let importing = async move { app.engine.import_agent(&caller.principal, file, query.r#as, key).await };
    Ok((StatusCode::CREATED, Json(detached(importing).await?)))
}

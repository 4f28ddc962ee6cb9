//! What the program has said of itself lately.

use crate::{
    app::App,
    json::Json,
    lists::{List, limit},
    log_ring::{Level, LogLine},
    problem::Problem,
    request::extract::{Query, number, parameter},
};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

const DEFAULT: u32 = 100;
const MAXIMUM: u32 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogQuery {
    /// This level and worse: `error`, `warn`, `info`.
    #[schemars(with = "Option<Level>")]
    level: Option<String>,
    /// Lines after this number.
    #[schemars(with = "Option<u64>")]
    after: Option<String>,
    #[schemars(with = "Option<u32>", range(min = 1, max = 1_000))]
    limit: Option<String>,
}

/// The newest lines, the oldest of them first; with `after`, the lines that follow that one.
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<LogQuery>,
) -> Result<Json<List<LogLine>>, Problem> {
    let level = parameter::<Level>("level", query.level.as_deref(), "error, warn or info")?;
    let after = number("after", query.after.as_deref())?;
    let limit = limit(query.limit.as_deref(), DEFAULT, MAXIMUM)?;
    let (items, total) = app.settings.logs.read(level.unwrap_or(Level::Info), after, limit as usize);
    Ok(Json(List { items, total, total_is_more: false, next_cursor: None }))
}

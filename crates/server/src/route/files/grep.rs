use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use capability::{Grep, Match};
use domain::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MATCHES: usize = 100;

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepQuestion {
    /// A regular expression, tried on each line.
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Only in files whose path fits, for instance `*.md` or `/notes/**`.
    #[serde(default)]
    path_pattern: Option<String>,
}

/// The lines that fit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GrepAnswer {
    pattern: String,
    matches: Vec<Match>,
    match_count: usize,
    /// There is more, or not everything was looked at.
    truncated: bool,
    /// Files that were not looked into: they are binary or very large.
    skipped_files: usize,
}

pub(crate) async fn grep(
    State(app): State<App>,
    caller: Caller,
    Id(session): Id<SessionId>,
    JsonBody(question): JsonBody<GrepQuestion>,
) -> Result<Json<GrepAnswer>, Problem> {
    let GrepQuestion { pattern, path_pattern } = question;
    let grep = Grep { pattern: pattern.clone(), path_pattern, most: MATCHES };
    let found = app.engine.grep_files(caller.user_id, session, grep).await?;
    Ok(Json(GrepAnswer {
        pattern,
        match_count: found.matches.len(),
        matches: found.matches,
        truncated: found.truncated,
        skipped_files: found.skipped,
    }))
}

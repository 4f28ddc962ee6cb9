use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::extract::State;
use domain::SessionId;
use engine::CommandAnswer;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandLine {
    /// What was typed, for instance `/session rename Garden`; the slash may be left out.
    line: String,
    /// The conversation it was typed in; some commands need none.
    session_id: Option<SessionId>,
}

pub(crate) async fn run(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(CommandLine { line, session_id }): JsonBody<CommandLine>,
) -> Result<Json<CommandAnswer>, Problem> {
    let source = app.door.source();
    Ok(Json(app.engine.command(&caller.principal, source, session_id, &line, key).await?))
}

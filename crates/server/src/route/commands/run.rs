use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::extract::State;
use domain::{SessionId, UploadId};
use engine::{CommandAnswer, SentAlong};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandLine {
    /// What was typed, for instance `/session rename Garden`; the slash may be left out.
    line: String,
    /// The conversation it was typed in; some commands need none.
    session_id: Option<SessionId>,
    /// Uploads that go with one of your own prompts; no other command takes any.
    #[serde(default)]
    attachments: Vec<UploadId>,
    /// The model that answers one of your own prompts. For your own agents only.
    #[serde(default)]
    model: Option<String>,
}

pub(crate) async fn run(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(CommandLine { line, session_id, attachments, model }): JsonBody<CommandLine>,
) -> Result<Json<CommandAnswer>, Problem> {
    let source = app.door.source();
    let along = SentAlong { attachments, model };
    let place = app.overload.enter_for(&line, app.running()).await?;
    let answer = app.engine.command_with(&caller.principal, source, session_id, &line, along, key).await?;
    drop(place);
    Ok(Json(answer))
}

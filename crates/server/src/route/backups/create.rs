use crate::{
    app::{App, Door},
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::MaybeBody, extract::Once},
};
use axum::{extract::State, http::StatusCode};
use engine::Backup;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewBackup {
    /// Where to put it; only through the control socket.
    // THREAT[backup-01]: over the network no person writes to a place of their choice.
    path: Option<PathBuf>,
}

/// Answers when the backup is made and verified.
pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    MaybeBody(new): MaybeBody<NewBackup>,
) -> Result<(StatusCode, Json<Backup>), Problem> {
    if new.path.is_some() && app.door != Door::Control {
        let detail = "path: Only commands on the machine of the server may name a path. Leave it out.";
        return Err(Problem::bad_request("bad_path", detail));
    }
    let backup = detached(async move { app.engine.make_backup(new.path).await }).await?;
    Ok((StatusCode::CREATED, Json(backup)))
}

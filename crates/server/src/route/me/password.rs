use crate::{app::App, body::JsonBody, caller::Caller, detached::detached, peer::Visitor, problem::Problem};
use axum::{extract::State, http::StatusCode};
use schemars::JsonSchema;
use serde::Deserialize;

/// Without `Debug`: it holds passwords.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Passwords {
    old: String,
    new: String,
}

/// The other logins of this person end; this one stays.
pub(crate) async fn password(
    State(app): State<App>,
    caller: Caller,
    visitor: Visitor,
    JsonBody(Passwords { old, new }): JsonBody<Passwords>,
) -> Result<StatusCode, Problem> {
    let address = visitor.whence.address;
    detached(async move { app.engine.change_password(&caller.principal, old, new, address).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

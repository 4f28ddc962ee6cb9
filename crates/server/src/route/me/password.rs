use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    problem::Problem,
    request::{body::JsonBody, peer::Visitor},
};
use axum::{extract::State, http::StatusCode};
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds passwords.
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
    detached(async move { app.engine.people().change_password(&caller.principal, old, new, address).await })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

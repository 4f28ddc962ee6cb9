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

// Without `Debug`: it holds a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    password: String,
}

/// For five minutes this login may widen rights.
pub(crate) async fn confirm(
    State(app): State<App>,
    caller: Caller,
    visitor: Visitor,
    JsonBody(Confirmation { password }): JsonBody<Confirmation>,
) -> Result<StatusCode, Problem> {
    let address = visitor.whence.address;
    detached(async move { app.engine.people().confirm(&caller.principal, password, address).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

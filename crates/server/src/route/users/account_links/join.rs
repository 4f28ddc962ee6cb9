use crate::{
    app::App,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{
        body::JsonBody,
        cookie::{self, SetCookie},
        extract::Once,
        peer::Visitor,
    },
    route::me::Me,
};
use axum::{extract::State, http::StatusCode};
use engine::Joining;
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Join {
    token: String,
    /// For a new account; a link for a new password has none.
    name: Option<String>,
    password: String,
    time_zone: Option<String>,
    language: Option<String>,
}

/// Uses the link up, and signs its holder in.
pub(crate) async fn join(
    State(app): State<App>,
    _once: Once,
    visitor: Visitor,
    JsonBody(join): JsonBody<Join>,
) -> Result<SetCookie<(StatusCode, Json<Me>)>, Problem> {
    let Join { token, name, password, time_zone, language } = join;
    let joining = Joining { token, name, password, time_zone, language };
    let Visitor { whence, connection } = visitor;
    let done = detached(async move { app.engine.people().join(joining, whence).await }).await?;
    let cookie = cookie::set(&done.secret, connection.secure);
    let browser = cookie::set_browser(&done.browser, connection.secure);
    Ok(SetCookie::new(cookie, (StatusCode::CREATED, Json(Me::from(done.user)))).and(browser))
}

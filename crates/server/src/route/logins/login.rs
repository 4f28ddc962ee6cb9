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
use axum::extract::State;
use engine::{LoginAttempt, Whence};
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    name: String,
    password: String,
    /// Taken for a person who signs in for the first time.
    time_zone: Option<String>,
    /// Taken for a person who signs in for the first time.
    language: Option<String>,
}

pub(crate) async fn login(
    State(app): State<App>,
    _once: Once,
    visitor: Visitor,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<SetCookie<Json<Me>>, Problem> {
    let Credentials { name, password, time_zone, language } = credentials;
    let from = Whence { time_zone, language, ..visitor.whence };
    let attempt = LoginAttempt { name, password, from };
    let done = detached(async move { app.engine.people().login(attempt).await }).await?;
    let secure = visitor.connection.secure;
    let browser = cookie::set_browser(&done.browser, secure);
    Ok(SetCookie::new(cookie::set(&done.secret, secure), Json(Me::from(done.user))).and(browser))
}

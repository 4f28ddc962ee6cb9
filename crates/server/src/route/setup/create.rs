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
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Founding {
    token: String,
    name: String,
    password: String,
    time_zone: Option<String>,
}

/// Creates the owner and signs them in.
pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    visitor: Visitor,
    JsonBody(founding): JsonBody<Founding>,
) -> Result<SetCookie<(StatusCode, Json<Me>)>, Problem> {
    let Founding { token, name, password, time_zone } = founding;
    let Visitor { whence, connection } = visitor;
    let done =
        detached(async move { app.engine.people().set_up(token, name, password, time_zone, whence).await })
            .await?;
    let cookie = cookie::set(&done.secret, connection.secure);
    let browser = cookie::set_browser(&done.browser, connection.secure);
    Ok(SetCookie::new(cookie, (StatusCode::CREATED, Json(Me::from(done.user)))).and(browser))
}

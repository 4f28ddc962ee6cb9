use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    problem::Problem,
    request::{
        cookie::{self, SetCookie},
        peer::Visitor,
    },
};
use axum::{extract::State, http::StatusCode};

pub(crate) async fn logout(
    State(app): State<App>,
    caller: Caller,
    visitor: Visitor,
) -> Result<SetCookie<StatusCode>, Problem> {
    let Some(id) = caller.principal.login_id() else {
        let detail = "You are not signed in, so you cannot sign out.";
        return Err(Problem::new(StatusCode::CONFLICT, "no_login", detail));
    };
    detached(async move { app.engine.end_login(&caller.principal, id).await }).await?;
    Ok(SetCookie::new(cookie::clear(visitor.connection.secure), StatusCode::NO_CONTENT))
}

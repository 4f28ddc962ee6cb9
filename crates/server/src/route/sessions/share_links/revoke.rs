use crate::{
    app::App, caller::Caller, connection::detached::detached, problem::Problem, request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::SessionLinkId;

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionLinkId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.revoke_session_link(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

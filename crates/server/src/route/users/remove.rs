use crate::{
    app::App, caller::Caller, connection::detached::detached, problem::Problem, request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::UserId;

/// They go with everything they have.
pub(crate) async fn remove(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.remove_user(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

use crate::{
    app::App, caller::Caller, connection::detached::detached, problem::Problem, request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::LoginId;

pub(crate) async fn end(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<LoginId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.people().end_login(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

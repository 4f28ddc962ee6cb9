use crate::{
    app::App, caller::Caller, connection::detached::detached, problem::Problem, request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::AccountLinkId;

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<AccountLinkId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.people().revoke_account_link(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

use crate::{
    app::App, caller::Caller, connection::detached::detached, problem::Problem, request::extract::Id,
};
use axum::{extract::State, http::StatusCode};
use domain::EntryId;

pub(crate) async fn purge(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<EntryId>,
) -> Result<StatusCode, Problem> {
    detached(async move { app.engine.purge_entry(&caller.principal, id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

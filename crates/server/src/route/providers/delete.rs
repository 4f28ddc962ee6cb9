use super::named;
use crate::{app::App, caller::Caller, problem::Problem};
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::StatusCode,
};

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    path: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    app.engine.delete_provider(caller.user_id, named(path)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

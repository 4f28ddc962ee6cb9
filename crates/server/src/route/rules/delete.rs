use crate::{app::App, caller::Caller, problem::Problem, request::extract::Id};
use axum::{extract::State, http::StatusCode};
use domain::RuleId;

/// Takes a rule back. Taking back what forbids or asks takes a login that was confirmed.
pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<RuleId>,
) -> Result<StatusCode, Problem> {
    app.engine.delete_rule(&caller.principal, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

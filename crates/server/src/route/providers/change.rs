use super::named;
use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::{Path, State, rejection::PathRejection};
use engine::ProviderChange;
use provider::ProviderStatus;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    path: Result<Path<String>, PathRejection>,
    JsonBody(change): JsonBody<ProviderChange>,
) -> Result<Json<ProviderStatus>, Problem> {
    Ok(Json(app.engine.change_provider(caller.user_id, named(path)?, change).await?))
}

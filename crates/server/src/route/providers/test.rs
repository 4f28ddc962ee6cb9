use super::named;
use crate::{app::App, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::{Path, State, rejection::PathRejection};
use engine::ProviderFields;
use provider::ProviderStatus;

/// An empty object asks the provider that there is; anything else describes one that is not stored.
pub(crate) async fn test(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    JsonBody(fields): JsonBody<ProviderFields>,
) -> Result<Json<ProviderStatus>, Problem> {
    let described = (!fields.is_empty()).then_some(fields);
    Ok(Json(app.engine.test_provider(&named(path)?, described).await?))
}

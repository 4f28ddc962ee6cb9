use super::named;
use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::{Path, State, rejection::PathRejection};
use engine::ProviderFields;
use provider::ProviderStatus;

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    path: Result<Path<String>, PathRejection>,
    JsonBody(fields): JsonBody<ProviderFields>,
) -> Result<Json<ProviderStatus>, Problem> {
    Ok(Json(app.engine.put_provider(caller.user_id, named(path)?, fields).await?))
}

//! Which models there are, and which is the default. Never paged.

use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem, request::body::JsonBody};
use axum::extract::State;
use engine::DefaultModelFields;
use provider::{DefaultModel, ModelInfo};

pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<ModelInfo>>, Problem> {
    app.engine.refresh_models().await?;
    Ok(List::whole(app.engine.models().list()))
}

pub(crate) async fn default(State(app): State<App>) -> Result<Json<DefaultModel>, Problem> {
    Ok(Json(app.engine.default_model().await?))
}

pub(crate) async fn set_default(
    State(app): State<App>,
    caller: Caller,
    JsonBody(fields): JsonBody<DefaultModelFields>,
) -> Result<Json<DefaultModel>, Problem> {
    Ok(Json(app.engine.set_default_model(&caller.principal, fields).await?))
}

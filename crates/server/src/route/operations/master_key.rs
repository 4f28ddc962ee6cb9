//! The key that everything hangs on.

use crate::{app::App, connection::detached::detached, json::Json, problem::Problem, request::extract::Once};
use axum::extract::State;
use engine::RotatedKey;

pub(crate) async fn rotate(State(app): State<App>, _once: Once) -> Result<Json<RotatedKey>, Problem> {
    detached(async move { app.engine.rotate_master_key().await }).await.map(Json)
}

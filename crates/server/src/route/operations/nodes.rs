//! The servers that work on the same database.

use crate::{app::App, json::Json, lists::List, problem::Problem};
use axum::extract::State;
use engine::HouseNode;

/// Never paged: there are a few.
pub(crate) async fn list(State(app): State<App>) -> Result<Json<List<HouseNode>>, Problem> {
    Ok(List::whole(app.engine.nodes().await?))
}

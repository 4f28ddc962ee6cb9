//! Which models there are. Never paged.

use crate::{app::App, json::Json, lists::List};
use axum::extract::State;
use provider::ModelInfo;

pub(crate) async fn list(State(app): State<App>) -> Json<List<ModelInfo>> {
    List::whole(app.engine.models().list())
}

use crate::{app::App, json::Json};
use axum::extract::State;
use engine::House;

pub(crate) async fn get(State(app): State<App>) -> Json<House> {
    Json(app.engine.house())
}

use crate::app::App;
use axum::{Json, extract::State};
use engine::House;

pub(crate) async fn get(State(app): State<App>) -> Json<House> {
    Json(app.engine.house())
}

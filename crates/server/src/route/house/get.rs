use crate::{app::App, json::Json, problem::Problem};
use axum::extract::State;
use engine::House;

pub(crate) async fn get(State(app): State<App>) -> Result<Json<House>, Problem> {
    app.engine.refresh_models().await?;
    Ok(Json(app.engine.house()))
}

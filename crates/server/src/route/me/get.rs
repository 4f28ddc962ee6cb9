use super::Me;
use crate::{app::App, caller::Caller, json::Json, problem::Problem};
use axum::extract::State;

pub(crate) async fn get(State(app): State<App>, caller: Caller) -> Result<Json<Me>, Problem> {
    Me::of(&app, &caller).await.map(Json)
}

use super::Me;
use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::State;
use engine::MeChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    JsonBody(change): JsonBody<MeChange>,
) -> Result<Json<Me>, Problem> {
    Ok(Json(app.engine.people().change_me(&caller.principal, change).await?.into()))
}

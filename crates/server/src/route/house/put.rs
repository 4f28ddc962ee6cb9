use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::body::JsonBody};
use axum::extract::State;
use engine::{House, HouseFields};

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    JsonBody(fields): JsonBody<HouseFields>,
) -> Result<Json<House>, Problem> {
    Ok(Json(app.engine.change_house(&caller.principal, fields).await?))
}

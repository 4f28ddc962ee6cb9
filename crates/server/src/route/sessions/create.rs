use crate::{app::App, body::JsonBody, caller::Caller, problem::Problem};
use axum::{Json, extract::State, http::StatusCode};
use domain::Session;
use engine::NewSession;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<(StatusCode, Json<Session>), Problem> {
    let session = app.engine.create_session(caller.user_id, new).await?;
    Ok((StatusCode::CREATED, Json(session)))
}

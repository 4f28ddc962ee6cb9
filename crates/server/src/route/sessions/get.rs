use crate::{app::App, caller::Caller, json::Json, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{Session, SessionId};

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<Session>, Problem> {
    Ok(Json(app.engine.session(caller.user_id, id).await?))
}

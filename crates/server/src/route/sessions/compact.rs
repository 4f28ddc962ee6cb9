use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::extract::{Id, Once},
};
use axum::extract::State;
use domain::SessionId;
use engine::Compacted;

pub(crate) async fn compact(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    _once: Once,
) -> Result<Json<Compacted>, Problem> {
    Ok(Json(app.engine.compact_session(caller.user_id, id).await?))
}

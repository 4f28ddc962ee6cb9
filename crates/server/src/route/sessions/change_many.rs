use crate::{
    app::App, caller::Caller, connection::detached::detached, json::Json, lists::List, problem::Problem,
    request::body::JsonBody,
};
use axum::extract::State;
use domain::KeptSession;
use engine::KeepMany;

/// One that does not exist and one of another person are the same: not found.
pub(crate) async fn change_many(
    State(app): State<App>,
    caller: Caller,
    JsonBody(many): JsonBody<KeepMany>,
) -> Result<Json<List<KeptSession>>, Problem> {
    let kept = detached(async move { app.engine.keep_sessions(caller.user_id, many).await }).await?;
    Ok(List::whole(kept))
}

use crate::{app::App, caller::Caller, json::Json, lists::List, problem::Problem, request::extract::Id};
use axum::extract::State;
use domain::{SessionId, SessionLink};

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<List<SessionLink>>, Problem> {
    Ok(List::whole(app.engine.session_links(caller.user_id, id).await?))
}

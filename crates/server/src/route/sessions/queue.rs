//! The messages that wait in a session.

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::List,
    problem::Problem,
    request::extract::{Id, Within},
};
use axum::extract::State;
use domain::{SessionId, TurnId};
use engine::QueuedMessage;

pub(crate) async fn queue(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<List<QueuedMessage>>, Problem> {
    Ok(List::whole(app.engine.queued_messages(caller.user_id, id).await?))
}

pub(crate) async fn take_back(
    State(app): State<App>,
    caller: Caller,
    Within(session, turn): Within<SessionId, TurnId>,
) -> Result<Json<QueuedMessage>, Problem> {
    Ok(Json(app.engine.take_back(caller.user_id, session, turn).await?))
}

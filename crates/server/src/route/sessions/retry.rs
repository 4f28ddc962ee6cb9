use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::extract::{Id, Once},
};
use axum::extract::State;
use domain::{Cursor, SessionId, TurnId};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Retried {
    turn_id: TurnId,
    /// Following the session's events from here shows the new attempt.
    cursor: Cursor,
}

pub(crate) async fn retry(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    _once: Once,
) -> Result<Json<Retried>, Problem> {
    let place = app.overload.enter(app.running()).await?;
    let (turn_id, seq) = app.engine.retry(caller.user_id, id).await?;
    drop(place);
    Ok(Json(Retried { turn_id, cursor: Cursor { seq, offset: 0 } }))
}

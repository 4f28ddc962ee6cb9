use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::extract::{Id, IdempotencyKey},
};
use axum::extract::State;
use domain::{SessionId, TurnId};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Aborted {
    /// Null when nothing ran: then there was nothing to stop, and that is no error.
    turn_id: Option<TurnId>,
}

pub(crate) async fn abort(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    IdempotencyKey(key): IdempotencyKey,
) -> Result<Json<Aborted>, Problem> {
    let turn_id = app.engine.abort(caller.user_id, id, key).await?;
    Ok(Json(Aborted { turn_id }))
}

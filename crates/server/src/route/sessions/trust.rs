use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Session, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Read")]
pub(crate) struct ReadUpTo {
    /// The newest event that the person has read: `last_seq` of what their client shows.
    seq: u64,
}

pub(crate) async fn trust(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    JsonBody(read): JsonBody<ReadUpTo>,
) -> Result<Json<Session>, Problem> {
    detached(async move { app.engine.trust_session(&caller.principal, id, read.seq).await }).await.map(Json)
}

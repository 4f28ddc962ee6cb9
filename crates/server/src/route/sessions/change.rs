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
use engine::SessionChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
    JsonBody(change): JsonBody<SessionChange>,
) -> Result<Json<Session>, Problem> {
    detached(async move { app.engine.change_session(&caller.principal, id, change).await }).await.map(Json)
}

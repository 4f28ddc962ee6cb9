use crate::{
    app::App, caller::Caller, connection::detached::detached, json::Json, problem::Problem,
    request::extract::Id,
};
use axum::extract::State;
use domain::{Session, SessionId};

pub(crate) async fn archive(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<Session>, Problem> {
    set(app, caller, id, true).await
}

pub(crate) async fn unarchive(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<Session>, Problem> {
    set(app, caller, id, false).await
}

async fn set(app: App, caller: Caller, id: SessionId, archived: bool) -> Result<Json<Session>, Problem> {
    detached(async move { app.engine.archive_session(caller.user_id, id, archived).await }).await.map(Json)
}

use crate::{app::App, caller::Caller, detached::detached, extract::Id, problem::Problem};
use axum::{Json, extract::State};
use domain::{Session, SessionId};

pub(crate) async fn trust(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<Json<Session>, Problem> {
    detached(async move { app.engine.trust_session(&caller.principal, id).await }).await.map(Json)
}

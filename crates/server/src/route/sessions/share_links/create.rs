use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::extract::{Id, Once},
};
use axum::{extract::State, http::StatusCode};
use domain::{SessionId, SessionLink};

pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<(StatusCode, Json<SessionLink>), Problem> {
    let link = detached(async move { app.engine.share_session(&caller.principal, id).await }).await?;
    Ok((StatusCode::CREATED, Json(link)))
}

use crate::{app::App, body::JsonBody, caller::Caller, detached::detached, extract::Id, problem::Problem};
use axum::{Json, extract::State};
use domain::{User, UserId};
use engine::UserChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<UserId>,
    JsonBody(change): JsonBody<UserChange>,
) -> Result<Json<User>, Problem> {
    detached(async move { app.engine.change_user(&caller.principal, id, change).await }).await.map(Json)
}

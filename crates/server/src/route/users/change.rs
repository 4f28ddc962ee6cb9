use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{User, UserId};
use engine::UserChange;

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<UserId>,
    JsonBody(change): JsonBody<UserChange>,
) -> Result<Json<User>, Problem> {
    detached(async move { app.engine.people().change_user(&caller.principal, id, change).await })
        .await
        .map(Json)
}

use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Once},
};
use axum::{extract::State, http::StatusCode};
use domain::AccountLink;
use engine::NewAccountLink;
use schemars::JsonSchema;
use serde::Serialize;

/// The only time that the secret is shown.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IssuedLink {
    #[serde(flatten)]
    link: AccountLink,
    /// The page `/join#TOKEN` uses it.
    token: String,
}

pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    caller: Caller,
    JsonBody(new): JsonBody<NewAccountLink>,
) -> Result<(StatusCode, Json<IssuedLink>), Problem> {
    let made = async move { app.engine.people().make_account_link(&caller.principal, new).await };
    let (link, token) = detached(made).await?;
    Ok((StatusCode::CREATED, Json(IssuedLink { link, token })))
}

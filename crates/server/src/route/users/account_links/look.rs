use crate::{
    app::App,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, peer::Visitor},
};
use axum::extract::State;
use engine::AccountLinkView;
use schemars::JsonSchema;
use serde::Deserialize;

// Without `Debug`: it holds a secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkToken {
    token: String,
}

/// What a link is for, told to its holder. The secret is in the body: addresses are noted in more places.
pub(crate) async fn look(
    State(app): State<App>,
    visitor: Visitor,
    JsonBody(LinkToken { token }): JsonBody<LinkToken>,
) -> Result<Json<AccountLinkView>, Problem> {
    Ok(Json(app.engine.people().look_at_account_link(&token, &visitor.whence).await?))
}

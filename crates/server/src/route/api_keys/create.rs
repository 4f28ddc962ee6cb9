use crate::{
    app::App,
    caller::Caller,
    connection::detached::detached,
    json::Json,
    problem::Problem,
    request::{body::MaybeBody, extract::Once},
};
use axum::{extract::State, http::StatusCode};
use domain::{ApiKey, Scope, Timestamp, UserId};
use engine::NewKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DEFAULT_NAME: &str = "api key";

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct KeyFields {
    name: Option<String>,
    scope: Option<Scope>,
    /// With the scope `bridge`, and only then: the name of the bridge whose messages the key delivers, such as `telegram`.
    source: Option<String>,
    expires_at: Option<Timestamp>,
    /// Whose key it will be, by name, for the operator at the terminal; absent means the one who asks.
    user: Option<String>,
}

/// The only time that the secret is shown.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Issued {
    #[serde(flatten)]
    key: ApiKey,
    secret: String,
}

pub(crate) async fn create(
    State(app): State<App>,
    _once: Once,
    caller: Caller,
    MaybeBody(fields): MaybeBody<KeyFields>,
) -> Result<(StatusCode, Json<Issued>), Problem> {
    let KeyFields { name, scope, source, expires_at, user } = fields;
    let user_id = whose(&app, &caller, user).await?;
    let name = name.unwrap_or_else(|| DEFAULT_NAME.to_owned());
    let new = NewKey { user_id, name, scope: scope.unwrap_or(Scope::Full), source, expires_at };
    let issued =
        detached(async move { app.engine.people().issue_key_for(&caller.principal, new).await }).await?;
    Ok((StatusCode::CREATED, Json(Issued { key: issued.key, secret: issued.secret })))
}

async fn whose(app: &App, caller: &Caller, name: Option<String>) -> Result<UserId, Problem> {
    let Some(name) = name else { return Ok(caller.user_id) };
    if !caller.principal.is_operator() {
        let detail =
            "user: API keys for other people can only be created in the terminal. Leave this field out.";
        return Err(Problem::bad_request("bad_field", detail));
    }
    match app.engine.people().user_by_name(name).await {
        Err(engine::PeopleError::NotFound(_)) => {
            Err(Problem::bad_request("unknown_user", "user: There is no account of that name."))
        }
        found => Ok(found?.id),
    }
}

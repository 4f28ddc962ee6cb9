use crate::{app::App, caller::Caller, extract::Id, problem::Problem};
use axum::{extract::State, http::StatusCode};
use domain::ApiKeyId;
use serde_json::json;
use store::{Tx, audit::AuditEntry};

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ApiKeyId>,
) -> Result<StatusCode, Problem> {
    let (store, user, at) = (app.engine.store().clone(), caller.user_id, app.engine.now());
    let vault = store.vault().clone();
    let write = async move |tx: &mut Tx| {
        if !store::api_keys::revoke(tx, user, id, at).await? {
            return Ok(false);
        }
        let entry = AuditEntry {
            at,
            user_id: Some(user),
            actor: "operator".to_owned(),
            action: "api_key.revoked".to_owned(),
            subject: id.to_string(),
            detail: json!({}),
        };
        store::audit::append(tx, &vault, entry).await?;
        Ok(true)
    };
    match store.write(write).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found("key")),
    }
}

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::{List, page},
    problem::Problem,
    request::extract::{Query, parameter},
};
use axum::extract::State;
use domain::{Timestamp, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::audit::AuditEntry;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQuery {
    user_id: Option<String>,
    limit: Option<String>,
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AuditView {
    at: Timestamp,
    user_id: Option<UserId>,
    actor: String,
    action: String,
    subject: String,
    detail: serde_json::Value,
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { at, user_id, actor, action, subject, detail } = entry;
        Self { at, user_id, actor, action, subject, detail }
    }
}

/// The newest first: of oneself; for admins of everybody, or of the one they ask for.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<AuditQuery>,
) -> Result<Json<List<AuditView>>, Problem> {
    let wanted = parameter("user_id", query.user_id.as_deref(), "the id of a user")?;
    let page = page(query.limit.as_deref(), query.cursor)?;
    let entries = app.engine.audit(&caller.principal, wanted, page).await?;
    let List { items, total, total_is_more, next_cursor } = entries.into();
    let items = items.into_iter().map(AuditView::from).collect();
    Ok(Json(List { items, total, total_is_more, next_cursor }))
}

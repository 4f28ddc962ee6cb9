use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::IdempotencyKey},
};
use axum::{extract::State, http::StatusCode};
use domain::{Permission, Rule, RuleArguments, RuleScope, Subject, Timestamp};
use engine::NewRule;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewRule")]
pub(crate) struct RuleBody {
    subject: Subject,
    /// A tool, one action of it (`tool.action`), or `*`; an `allow` names a tool.
    tool: String,
    action: Permission,
    /// Absent: always.
    scope: Option<RuleScope>,
    arguments: Option<RuleArguments>,
    expires_at: Option<Timestamp>,
    /// For all people of the server; admins only.
    #[serde(default)]
    house: bool,
}

/// Makes a rule. What permits takes a login that was confirmed; what forbids or asks does not.
pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<RuleBody>,
) -> Result<(StatusCode, Json<Rule>), Problem> {
    let new = NewRule {
        subject: body.subject,
        tool: body.tool,
        action: body.action,
        scope: body.scope.unwrap_or(RuleScope::Always),
        arguments: body.arguments,
        expires_at: body.expires_at,
        house: body.house,
    };
    Ok((StatusCode::CREATED, Json(app.engine.create_rule_once(&caller.principal, new, key).await?)))
}

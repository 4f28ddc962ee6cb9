use crate::{
    app::App,
    caller::Caller,
    json::Json,
    problem::Problem,
    request::{body::JsonBody, extract::Id},
};
use axum::extract::State;
use domain::{Approval, ApprovalDecision, ApprovalId, RuleScope};
use engine::ApprovalAnswer;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewApprovalAnswer")]
pub(crate) struct ApprovalAnswerBody {
    decision: ApprovalDecision,
    /// For how long an approval holds: for this call, for the tool in this session, or always for exactly these arguments.
    scope: Option<RuleScope>,
    /// Of the approval, as it was shown.
    digest: String,
    /// The agent is told.
    reason: Option<String>,
}

/// Approves or denies; the turn that waits goes on. `always` takes a login that was confirmed.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<ApprovalId>,
    JsonBody(ApprovalAnswerBody { decision, scope, digest, reason }): JsonBody<ApprovalAnswerBody>,
) -> Result<Json<Approval>, Problem> {
    let scope = scope.unwrap_or(RuleScope::Once);
    let answer = ApprovalAnswer { decision, scope, digest, reason };
    Ok(Json(app.engine.answer_approval(&caller.principal, id, answer).await?))
}

//! The entry of the audit log for one decision of the gate: about a tool that a model calls, or about the model itself.

use crate::{
    claim::{planned_call::PlannedCall, record::Record, turn_context::TurnContext},
    faults::guards_off,
};
use domain::Approval;
use gate::{Verdict, Why};
use serde_json::json;
use store::audit::{Action, AuditEntry};

/// As much of a tool's name as is written down.
const NAME_CHARS: usize = 64;

/// Written with the next thing that is stored of the turn: before the effect where there is one, with the result otherwise.
/// `None` where a test has taken the guard away.
pub(crate) fn entry(
    turn: &TurnContext,
    record: &Record,
    planned: &PlannedCall,
    verdict: &Verdict,
    answer: Option<&Approval>,
) -> Option<AuditEntry> {
    let (action, reasons) = match verdict {
        Verdict::Run { .. } => (Action::ToolAllowed, Vec::new()),
        Verdict::Ask { why, .. } => (Action::ToolAsked, why.iter().map(Why::word).collect()),
        Verdict::Deny(why) => (Action::ToolDenied, vec![why.word()]),
        Verdict::Refuse(_) => (Action::ToolRefused, vec!["malformed"]),
    };
    let detail = json!({
        "session_id": turn.session.id,
        // A model writes names of any length; the log is kept for good.
        "tool": planned.name.chars().take(NAME_CHARS).collect::<String>(),
        "digest": turn.digest(planned),
        "reason": reasons.first(),
        "reasons": reasons,
        "approval_id": answer.map(|answer| answer.id),
        "label": record.provenance.label,
    });
    if matches!(verdict, Verdict::Deny(_)) && guards_off::audit_is_off() {
        return None;
    }
    let (actor, user) = (turn.agent.id.to_string(), Some(turn.session.user_id));
    Some(turn.engine.entry(actor, user, action, planned.id, detail))
}

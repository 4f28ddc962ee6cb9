//! A request to a person: may this call run? It holds for exactly these arguments, and is answered once.

use crate::{ApprovalId, CallId, Danger, Label, RuleScope, SessionId, Timestamp, TurnId, Workplace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    Pending,
    Approved,
    /// By a person, or because its turn ended before they answered.
    Denied,
    /// The person did not answer in time, so it was denied.
    Expired,
}

impl ApprovalStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Approved, Self::Denied, Self::Expired]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// What a person says to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    Approve,
    Deny,
}

/// One argument as people see it: what could mislead the eye is spelt out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownArgument {
    pub name: String,
    /// `⟨U+202E⟩` stands for a character that is not visible, or looks like another one.
    pub value: String,
}

/// An approval as its person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    pub id: ApprovalId,
    pub session_id: SessionId,
    pub turn_id: TurnId,
    /// The call that waits for the answer; where a model's price is not known (`use_model`), a name for the request itself.
    pub call_id: CallId,
    pub tool: String,
    /// Exactly what the tool will be given.
    pub arguments: Value,
    /// The same for people, whole.
    pub shown: Vec<ShownArgument>,
    pub danger: Danger,
    /// Why the person is asked at all.
    pub why: Vec<String>,
    /// Names exactly this call with exactly these arguments; who approves repeats it.
    pub digest: String,
    /// For how long an approval may hold at most.
    pub scopes: Vec<RuleScope>,
    /// Where the call goes, if an address is all that it tells: an approval for the session is one for this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Where the call does its work, as its tool says. Absent where the tool does not say, or is not there any more. Never
    /// stored: it is filled in for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workplace: Option<Workplace>,
    /// What the call can reach on the network, by name, as it was when the person was asked: the hosts of a program in the
    /// sandbox (none: no network), or the search service. Absent where the workplace says it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaches: Option<Vec<String>>,
    /// The strictest label of everything that the call could tell, as it was when the person was asked. An approval
    /// covers no stricter label. Absent in requests of earlier versions, and where no call waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    pub status: ApprovalStatus,
    /// What the person wrote with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Without an answer by then it is denied.
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

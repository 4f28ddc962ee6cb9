//! The words for what the audit log tells of.

use domain::ApprovalStatus;

/// What was done. The words are stored and read by programs: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    AgentCreated,
    AgentChanged,
    AgentDeleted,
    AgentAccepted,
    AgentDeclined,
    ApiKeyBound,
    ApiKeyCreated,
    ApiKeyRevoked,
    HouseChanged,
    HouseRestored,
    LoginConfirmed,
    LoginEnded,
    LoginFailed,
    LoginSucceeded,
    MasterKeyRotated,
    PasswordChanged,
    ProviderChanged,
    ProviderDeleted,
    RuleCreated,
    RuleDeleted,
    SessionTrusted,
    ToolAllowed,
    ToolAsked,
    ToolDenied,
    ToolRefused,
    UserChanged,
    UserCreated,
    UserRemoved,
    /// What became of a request for approval.
    Approval(ApprovalStatus),
}

impl Action {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentCreated => "agent.created",
            Self::AgentChanged => "agent.changed",
            Self::AgentDeleted => "agent.deleted",
            Self::AgentAccepted => "agent.accepted",
            Self::AgentDeclined => "agent.declined",
            Self::ApiKeyBound => "api_key.bound",
            Self::ApiKeyCreated => "api_key.created",
            Self::ApiKeyRevoked => "api_key.revoked",
            Self::HouseChanged => "house.changed",
            Self::HouseRestored => "house.restored",
            Self::LoginConfirmed => "login.confirmed",
            Self::LoginEnded => "login.ended",
            Self::LoginFailed => "login.failed",
            Self::LoginSucceeded => "login.succeeded",
            Self::MasterKeyRotated => "master_key.rotated",
            Self::PasswordChanged => "password.changed",
            Self::ProviderChanged => "provider.changed",
            Self::ProviderDeleted => "provider.deleted",
            Self::RuleCreated => "rule.create",
            Self::RuleDeleted => "rule.delete",
            Self::SessionTrusted => "session.trusted",
            Self::ToolAllowed => "tool.allowed",
            Self::ToolAsked => "tool.asked",
            Self::ToolDenied => "tool.denied",
            Self::ToolRefused => "tool.refused",
            Self::UserChanged => "user.changed",
            Self::UserCreated => "user.created",
            Self::UserRemoved => "user.removed",
            Self::Approval(ApprovalStatus::Pending) => "approval.pending",
            Self::Approval(ApprovalStatus::Approved) => "approval.approved",
            Self::Approval(ApprovalStatus::Denied) => "approval.denied",
            Self::Approval(ApprovalStatus::Expired) => "approval.expired",
        }
    }
}

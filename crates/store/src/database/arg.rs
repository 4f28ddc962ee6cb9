//! What can be bound to a statement: three kinds of value, each of which may be null.

use domain::{
    AbilityId, AccountLinkId, AgentId, ApiKeyId, ApprovalId, ApprovalStatus, CallId, CallStatus, EffectClass,
    EntryAction, EntryAuthor, EntryId, EntryState, ErrandStatus, FolderId, InputId, InputMode,
    KnowledgeStore, LoginId, MessageId, ModelCallId, NodeId, Permission, QuestionId, QuestionMode,
    QuestionStatus, Role, RuleId, RuleScope, RunOutcome, SavedPromptId, ScheduleId, ScheduleKind,
    ScheduleState, Scope, SessionId, SessionKind, SessionLinkId, SessionStatus, Share, Source, Subject,
    Timestamp, TurnId, TurnOutcome, TurnStatus, UploadId, UserId, UserRole, VersionState,
};

/// A bound value. Nulls are typed because PostgreSQL wants to know what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

/// The values of `$1`, `$2`, … in order.
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => { ::std::vec![$($crate::Arg::from($arg)),*] };
}

/// A Rust type and how it becomes one arm of [`Arg`], also as an `Option`.
macro_rules! arg_from {
    ($arm:ident: $($type:ty => |$value:ident| $make:expr),* $(,)?) => {$(
        impl From<$type> for Arg {
            fn from($value: $type) -> Self {
                Self::$arm(Some($make))
            }
        }

        impl From<Option<$type>> for Arg {
            fn from(value: Option<$type>) -> Self {
                Self::$arm(value.map(|$value| $make))
            }
        }
    )*};
}

arg_from! { Int:
    i64 => |value| value,
    u32 => |value| i64::from(value),
    // Beyond what a column holds: the largest value it holds is as far away for every comparison.
    u64 => |value| i64::try_from(value).unwrap_or(i64::MAX),
    bool => |value| i64::from(value),
    Timestamp => |value| value.as_millis(),
}

arg_from! { Text:
    &str => |value| value.to_owned(),
    String => |value| value,
    UserId => |value| value.to_string(),
    ApiKeyId => |value| value.to_string(),
    LoginId => |value| value.to_string(),
    AgentId => |value| value.to_string(),
    SessionId => |value| value.to_string(),
    MessageId => |value| value.to_string(),
    TurnId => |value| value.to_string(),
    InputId => |value| value.to_string(),
    CallId => |value| value.to_string(),
    ModelCallId => |value| value.to_string(),
    NodeId => |value| value.to_string(),
    QuestionId => |value| value.to_string(),
    ApprovalId => |value| value.to_string(),
    RuleId => |value| value.to_string(),
    Subject => |value| value.to_string(),
    UploadId => |value| value.to_string(),
    AbilityId => |value| value.to_string(),
    FolderId => |value| value.to_string(),
    SavedPromptId => |value| value.to_string(),
    ScheduleId => |value| value.to_string(),
    ScheduleState => |value| value.as_str().to_owned(),
    RunOutcome => |value| value.as_str().to_owned(),
    ScheduleKind => |value| value.as_str().to_owned(),
    SessionLinkId => |value| value.to_string(),
    AccountLinkId => |value| value.to_string(),
    EntryId => |value| value.to_string(),
    Share => |value| value.to_string(),
    Role => |value| value.as_str().to_owned(),
    UserRole => |value| value.as_str().to_owned(),
    Scope => |value| value.as_str().to_owned(),
    SessionStatus => |value| value.as_str().to_owned(),
    TurnStatus => |value| value.as_str().to_owned(),
    TurnOutcome => |value| value.as_str().to_owned(),
    InputMode => |value| value.as_str().to_owned(),
    QuestionMode => |value| value.as_str().to_owned(),
    QuestionStatus => |value| value.as_str().to_owned(),
    ApprovalStatus => |value| value.as_str().to_owned(),
    Permission => |value| value.as_str().to_owned(),
    RuleScope => |value| value.as_str().to_owned(),
    Source => |value| value.as_str().to_owned(),
    CallStatus => |value| value.as_str().to_owned(),
    EffectClass => |value| value.as_str().to_owned(),
    ErrandStatus => |value| value.as_str().to_owned(),
    SessionKind => |value| value.as_str().to_owned(),
    KnowledgeStore => |value| value.as_str().to_owned(),
    EntryState => |value| value.as_str().to_owned(),
    EntryAction => |value| value.as_str().to_owned(),
    EntryAuthor => |value| value.as_str().to_owned(),
    VersionState => |value| value.as_str().to_owned(),
}

arg_from! { Bytes:
    Vec<u8> => |value| value,
    &[u8] => |value| value.to_vec(),
    [u8; 32] => |value| value.to_vec(),
}

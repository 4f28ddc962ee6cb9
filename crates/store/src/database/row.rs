//! What can be made from the columns of a row, whichever engine it came from.

use crate::{Error, Result};
use domain::{
    AbilityId, AccountLinkId, AgentId, ApiKeyId, ApprovalId, ApprovalStatus, CallId, CallStatus, EffectClass,
    EntryAction, EntryAuthor, EntryId, EntryState, ErrandStatus, FolderId, InputId, InputMode,
    KnowledgeStore, LoginId, MessageId, ModelCallId, NodeId, Permission, QuestionId, QuestionMode,
    QuestionStatus, Role, RuleId, RuleScope, RunOutcome, SavedPromptId, ScheduleId, ScheduleKind,
    ScheduleState, Scope, SessionId, SessionKind, SessionLinkId, SessionStatus, Share, Source, Subject,
    Timestamp, TurnId, TurnOutcome, TurnStatus, UploadId, UserId, UserRole, VersionState,
};
use sqlx::{Row as _, ValueRef as _, postgres::PgRow};

/// Something that takes the next [`WIDTH`](Row::WIDTH) columns: a value, a tuple, or a struct made by `row!`.
pub trait Row: Sized + Send {
    const WIDTH: usize;
    fn take(columns: &mut Columns<'_>) -> Result<Self>;
}

/// The columns of one row, handed out from left to right.
pub struct Columns<'r> {
    row: EngineRow<'r>,
    next: usize,
    /// Of the texts and bytes that were handed out.
    bytes: u64,
}

enum EngineRow<'r> {
    Lite(&'r rusqlite::Row<'r>),
    Postgres(&'r PgRow),
}

impl<'r> Columns<'r> {
    pub(crate) fn lite(row: &'r rusqlite::Row<'r>) -> Self {
        Self { row: EngineRow::Lite(row), next: 0, bytes: 0 }
    }

    pub(crate) fn postgres(row: &'r PgRow) -> Self {
        Self { row: EngineRow::Postgres(row), next: 0, bytes: 0 }
    }

    /// How many bytes the texts have that were handed out.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next column as bytes that are not copied; `None` where it is null.
    pub(crate) fn look_at<T>(&mut self, look: impl FnOnce(&[u8]) -> Result<T>) -> Result<Option<T>> {
        let index = self.step();
        let bytes: Option<&[u8]> = match self.row {
            EngineRow::Lite(row) => row.get_ref(index)?.as_blob_or_null().map_err(rusqlite::Error::from)?,
            EngineRow::Postgres(row) => row.try_get(index)?,
        };
        let Some(bytes) = bytes else { return Ok(None) };
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        look(bytes).map(Some)
    }

    /// The next column as text that is not copied; `None` where it is null.
    pub(crate) fn look_at_text<T>(&mut self, look: impl FnOnce(&str) -> T) -> Result<Option<T>> {
        let index = self.step();
        let text: Option<&str> = match self.row {
            EngineRow::Lite(row) => row.get_ref(index)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            EngineRow::Postgres(row) => row.try_get(index)?,
        };
        let Some(text) = text else { return Ok(None) };
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        Ok(Some(look(text)))
    }

    fn step(&mut self) -> usize {
        let index = self.next;
        self.next = index.saturating_add(1);
        index
    }

    fn next_is_null(&self) -> Result<bool> {
        Ok(match self.row {
            EngineRow::Lite(row) => matches!(row.get_ref(self.next)?, rusqlite::types::ValueRef::Null),
            EngineRow::Postgres(row) => row.try_get_raw(self.next)?.is_null(),
        })
    }
}

macro_rules! plain_column {
    ($($type:ty: |$value:ident| $bytes:expr),* $(,)?) => {$(
        impl Row for $type {
            const WIDTH: usize = 1;

            fn take(columns: &mut Columns<'_>) -> Result<Self> {
                let index = columns.step();
                let $value: Self = match columns.row {
                    EngineRow::Lite(row) => row.get(index)?,
                    EngineRow::Postgres(row) => row.try_get(index)?,
                };
                columns.bytes = columns.bytes.saturating_add($bytes);
                Ok($value)
            }
        }
    )*};
}
plain_column! {
    i64: |value| 8,
    String: |value| value.len() as u64,
    Vec<u8>: |value| value.len() as u64,
}

/// A null in the first column means that the whole of it is absent (a left join that found nothing).
impl<R: Row> Row for Option<R> {
    const WIDTH: usize = R::WIDTH;

    fn take(columns: &mut Columns<'_>) -> Result<Self> {
        if columns.next_is_null()? {
            columns.next = columns.next.saturating_add(R::WIDTH);
            return Ok(None);
        }
        R::take(columns).map(Some)
    }
}

fn not_understood(what: &'static str) -> Error {
    Error::Corrupt(format!("a {what} was expected"))
}

/// Types that are kept as another, plainer one.
macro_rules! column_through {
    ($plain:ty: $($type:ty => |$value:ident| $parse:expr),* $(,)?) => {$(
        impl Row for $type {
            const WIDTH: usize = 1;

            fn take(columns: &mut Columns<'_>) -> Result<Self> {
                let $value = <$plain>::take(columns)?;
                $parse.ok_or_else(|| not_understood(stringify!($type)))
            }
        }
    )*};
}

column_through! { i64:
    u64 => |value| u64::try_from(value).ok(),
    u32 => |value| u32::try_from(value).ok(),
    bool => |value| Some(value != 0),
    Timestamp => |value| Some(Timestamp::from_millis(value)),
}

/// Types that are kept as text.
macro_rules! column_of_text {
    ($($type:ty => |$value:ident| $parse:expr),* $(,)?) => {$(
        impl Row for $type {
            const WIDTH: usize = 1;

            fn take(columns: &mut Columns<'_>) -> Result<Self> {
                let parsed = columns.look_at_text(|$value| $parse)?.flatten();
                parsed.ok_or_else(|| not_understood(stringify!($type)))
            }
        }
    )*};
}

column_of_text! {
    UserId => |value| value.parse().ok(),
    ApiKeyId => |value| value.parse().ok(),
    LoginId => |value| value.parse().ok(),
    AgentId => |value| value.parse().ok(),
    SessionId => |value| value.parse().ok(),
    MessageId => |value| value.parse().ok(),
    TurnId => |value| value.parse().ok(),
    InputId => |value| value.parse().ok(),
    CallId => |value| value.parse().ok(),
    ModelCallId => |value| value.parse().ok(),
    NodeId => |value| value.parse().ok(),
    QuestionId => |value| value.parse().ok(),
    ApprovalId => |value| value.parse().ok(),
    RuleId => |value| value.parse().ok(),
    Subject => |value| value.parse().ok(),
    UploadId => |value| value.parse().ok(),
    AbilityId => |value| value.parse().ok(),
    FolderId => |value| value.parse().ok(),
    SavedPromptId => |value| value.parse().ok(),
    ScheduleId => |value| value.parse().ok(),
    ScheduleState => |value| ScheduleState::parse(value),
    RunOutcome => |value| RunOutcome::parse(value),
    ScheduleKind => |value| ScheduleKind::parse(value),
    SessionLinkId => |value| value.parse().ok(),
    AccountLinkId => |value| value.parse().ok(),
    EntryId => |value| value.parse().ok(),
    Share => |value| value.parse().ok(),
    Role => |value| Role::parse(value),
    UserRole => |value| UserRole::parse(value),
    Scope => |value| Scope::parse(value),
    SessionStatus => |value| SessionStatus::parse(value),
    TurnStatus => |value| TurnStatus::parse(value),
    TurnOutcome => |value| TurnOutcome::parse(value),
    InputMode => |value| InputMode::parse(value),
    QuestionMode => |value| QuestionMode::parse(value),
    QuestionStatus => |value| QuestionStatus::parse(value),
    ApprovalStatus => |value| ApprovalStatus::parse(value),
    Permission => |value| Permission::parse(value),
    RuleScope => |value| RuleScope::parse(value),
    Source => |value| Source::parse(value),
    CallStatus => |value| CallStatus::parse(value),
    EffectClass => |value| EffectClass::parse(value),
    ErrandStatus => |value| ErrandStatus::parse(value),
    SessionKind => |value| SessionKind::parse(value),
    KnowledgeStore => |value| KnowledgeStore::parse(value),
    EntryState => |value| EntryState::parse(value),
    EntryAction => |value| EntryAction::parse(value),
    EntryAuthor => |value| EntryAuthor::parse(value),
    VersionState => |value| VersionState::parse(value),
}

column_through! { Vec<u8>:
    [u8; 32] => |value| value.try_into().ok(),
}

macro_rules! tuple_row {
    ($($part:ident),+) => {
        impl<$($part: Row),+> Row for ($($part,)+) {
            const WIDTH: usize = 0 $(+ $part::WIDTH)+;

            fn take(columns: &mut Columns<'_>) -> Result<Self> {
                Ok(($($part::take(columns)?,)+))
            }
        }
    };
}
tuple_row!(A);
tuple_row!(A, B);
tuple_row!(A, B, C);
tuple_row!(A, B, C, D);
tuple_row!(A, B, C, D, E);
tuple_row!(A, B, C, D, E, F);

/// Declares a struct that is read from as many columns as it has fields, in their order.
macro_rules! row {
    ($(#[$doc:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_doc:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$doc])*
        $visibility struct $name {
            $($(#[$field_doc])* $field_visibility $field: $type),*
        }

        impl $crate::database::row::Row for $name {
            const WIDTH: usize = 0 $(+ <$type as $crate::database::row::Row>::WIDTH)*;

            fn take(columns: &mut $crate::database::row::Columns<'_>) -> $crate::Result<Self> {
                Ok(Self { $($field: <$type as $crate::database::row::Row>::take(columns)?),* })
            }
        }
    };
}
pub(crate) use row;

//! The vocabulary of Majordomo.
//!
//! One word for one thing: a type here has the same name in the database, in the JSON, in the events and
//! in the documents. This crate owns the nouns and their serialised form, and nothing else: no I/O, no
//! clock, no randomness, no async. Everything above it may use it; it uses none of ours.
//!
//! Start with [`session`], [`message`] and [`event`]: a session is a log of events, some of which are messages.

pub mod account;

pub use account::login;
pub use account::share;
pub use account::user;
pub use agent::narrowing;
pub use agent::prompt_tree;

pub mod ability;
pub mod agent;
pub mod approval;
pub mod asker;
pub mod budget;
pub mod call;
pub mod errand;
pub mod event;
pub mod file;
pub mod id;
pub mod knowledge;
pub mod label;
pub mod limits;
pub mod markup;
pub mod message;
pub mod question;
pub mod rule;
pub mod schedule;
pub mod session;
mod text;
pub mod time;
pub mod tool;
pub mod turn;
pub mod upload;
pub mod usage;

pub use ability::{Ability, AbilityKind, AbilityText, Injected};
pub use account::kept::{AccountLink, SavedPrompt, SavedPromptText, SessionLink};
pub use account::login::Login;
pub use account::share::Share;
pub use account::user::{ApiKey, Scope, User, UserRole};
pub use agent::{Agent, AgentStatus, CapabilityRef, Parameters, Reasoning};
pub use approval::{Approval, ApprovalDecision, ApprovalStatus, ShownArgument};
pub use asker::Asker;
pub use budget::{Allowance, Budget};
pub use call::{Call, CallStatus, EffectClass, Origin, ResultStatus};
pub use errand::{ErrandOutcome, ErrandStatus};
pub use event::cursor::{Cursor, CursorError};
pub use event::envelope::{Envelope, EnvelopeBody, LiveBody, LiveKind};
pub use event::kind::EventKind;
pub use event::stored_type::StoredType;
pub use event::{AgentState, DerivedFrom, Event, EventBody, Retrying};
pub use file::{FileInfo, FilePath, FilePathError, FileRefusal};
pub use id::{
    AbilityId, AccountLinkId, AgentId, ApiKeyId, ApprovalId, CallId, EntryId, FolderId, IdError, InputId,
    LoginId, MessageId, ModelCallId, NodeId, QuestionId, RuleId, SavedPromptId, ScheduleId, SessionId,
    SessionLinkId, TurnId, UploadId, UserId,
};
pub use knowledge::{
    EntryAction, EntryAuthor, EntryOrigin, EntryState, EntryText, EntryVersion, KnowledgeEntry,
    KnowledgeStore, VersionState,
};
pub use label::{Confidentiality, Integrity, Label};
pub use limits::Limits;
pub use markup::{MarkupMode, MarkupSettings};
pub use message::{Message, MessageKind, Meta, Part, Role, Sender, StopReason};
pub use narrowing::Narrowing;
pub use prompt_tree::{Modifier, ModifierKind, Position, PromptNode, PromptTree, ReplacementSource};
pub use question::{AnsweredBy, Answers, Question, QuestionMode, QuestionStatus};
pub use rule::{Rule, RuleArguments, RuleScope, Subject, ToolRule};
pub use schedule::when::{When, WhenProblem};
pub use schedule::{
    MissedRuns, RunOutcome, RunPlace, Schedule, ScheduleKind, SchedulePlan, ScheduleRun, ScheduleState,
};
pub use session::folder::{Folder, FolderFile, FolderText, KeepAction, KeepOutcome, Keeping, KeptSession};
pub use session::{LastMessage, Session, SessionKind, SessionStatus};
pub use text::{
    misleading::{is_misleading, is_name, name_problem},
    patch::Change,
    size::size_words,
};
pub use time::Timestamp;
pub use tool::{ArgumentKind, Danger, Permission, Sink, ToolSpec, Workplace, canonical_tool};
pub use turn::{
    InputMode, TurnError, TurnOutcome, TurnStatus,
    source::{ReportsTo, Source, SourceRules},
};
pub use upload::{AttachedFile, MessageAttachment, ReadText, Upload};
pub use usage::Usage;

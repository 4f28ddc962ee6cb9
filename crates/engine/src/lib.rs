//! The engine: it takes an input, makes it durable, and runs the turn it causes.
//!
//! The crate is divided into rooms, each a folder that imports only rooms before it; `ARCHITECTURE.md` has their order. A
//! message comes in through [`inbox`], becomes this node's turn in [`claim`], and is worked on by a [`worker`], which asks the
//! pure machine of the crate `turn` what to do. [`model`] talks to the model, [`calls`] decides and runs tools through [`ports`],
//! and [`follow`] shows everything to clients.
//!
//! Invariants:
//! - nothing is acknowledged, published or woken before its transaction has committed;
//! - every write of a turn carries its fencing epoch; a worker that lost its lease changes nothing;
//! - intent before effect, effect before result, result together with the transcript.
//!
//! What it must never do: speak HTTP, write SQL, know a wire format.

mod agents;
mod audit;
mod background_job;
mod budget;
mod bus;
mod calls;
mod claim;
mod clock;
mod commands;
mod engine;
mod errands;
mod error;
mod faults;
mod files;
mod follow;
mod idempotency_key;
mod ids;
mod inbox;
mod knowledge;
mod load_session;
mod model;
mod permission;
mod ports;
mod recovery;
mod reply;
mod room_state;
mod schedules;
mod sessions;
mod settings;
mod start;
mod store_retry;
mod summaries;
mod telemetry;
mod upkeep;
mod waiting;
mod wake_ups;
mod wording;
mod worker;

pub use agents::AgentFields;
pub use agents::agent_file::{AgentFile, ImportedAgent};
pub use agents::default_model::DefaultModelFields;
pub use agents::house_prompt::{House, HouseFields};
pub use agents::known_models::{restore_models, stored_settings};
pub use agents::offers::Sharing;
pub use agents::settings::PromptSettings;
pub use budget::settings::BudgetSettings;
pub use budget::usage::{BudgetLeft, UsageLine, UsageQuestion};
pub use claim::new_input::NewMessage;
pub use claim::settings::TurnSettings;
pub use commands::help_lists::{
    AbilityHelp, CapabilityHelp, CommandHelp, ElementHelp, Help, HelpQuery, PromptHelp, ToolHelp,
};
pub use commands::{CommandAnswer, CommandEffect, Form, LineWork, SentAlong, work_of};
pub use domain::Change;
pub use engine::{Engine, NodeIdentity};
pub use errands::settings::ErrandSettings;
pub use error::{Error, Result};
pub use faults::crash_points::{CRASH_POINTS, CutOff};
pub use faults::guards_off::GUARDS;
pub use files::folder_files::NewFolderFile;
pub use files::session_files::{FileLimits, media_type};
pub use files::settings::FileSettings;
pub use files::uploads::{Download, NewFile, Receiving};
pub use follow::frame::Frame;
pub use follow::hint_reader::HintReader;
pub use follow::hints::{Glance, Hint, ListsReader, What};
pub use follow::open_reader::Start;
pub use follow::reader::Reader;
pub use follow::until::Until;
pub use follow::user_reader::{UserEvent, UserReader};
pub use ids::Ids;
pub use inbox::accept::Accepted;
pub use inbox::peers::Peer;
pub use inbox::queue::{AttachmentKind, QueuedAttachment, QueuedMessage};
pub use inbox::tell_peer::{DENIED, HELD, NOT_ANSWERED, Telling};
pub use inbox::versions::{MessageVersions, NewVersion};
pub use knowledge::entries::{EntryDecision, EntryFields, EntryReview, NewEntry};
pub use knowledge::settings::KnowledgeSettings;
pub use model::picture_switch::ProviderChange;
pub use model::providers::{GivenPrice, PriceWord, ProviderFields};
pub use people::{
    AccountLinkView, Credential, Error as PeopleError, FullSlots, HeldSlot, IssuedKey, Joining, LoginAttempt,
    MeChange, NewAccountLink, NewKey, NewPerson, People, PeopleSettings, Principal, SetupLink, SignedIn,
    SlotRules, UserChange, Watch, Whence, network_of,
};
pub use permission::rules::NewRule;
pub use permission::settings::ApprovalSettings;
pub use ports::outside::Outside;
pub use ports::web_search::{SearchBackend, Searcher};
pub use schedules::new_schedule::{NewSchedule, PreviewedWhen, ScheduleChange, SchedulePreview};
pub use schedules::settings::ScheduleSettings;
pub use sessions::change_many::KeepMany;
pub use sessions::export::{Export, ExportedConversation};
pub use sessions::folders::FolderChange;
pub use sessions::fork::Fork;
pub use sessions::search::{FoundSession, Match};
pub use sessions::share_links::{SharedConversation, SharedMessage};
pub use sessions::undo_deletion::UNDO_MS;
pub use sessions::{NewSession, SessionChange};
pub use settings::Settings;
pub use start::Parts;
pub use summaries::compact::Compacted;
pub use summaries::settings::SummarySettings;
pub use turn::Policy;
pub use upkeep::backups::{Backup, BackupStatus};
pub use upkeep::master_key::RotatedKey;
pub use upkeep::nodes::{HouseNode, NodeStatus};
pub use upkeep::settings::{BackupSettings, StorageSettings};
pub use waiting::approvals::ApprovalAnswer;
pub use waiting::waits_for::{Parkings, WaitsFor};
pub use worker::prompt_preview::{FlatMessage, NodeView, Preview, PreviewQuestion};

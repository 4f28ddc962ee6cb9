//! The engine: it takes an input, makes it durable, and runs the turn it causes.
//!
//! The decisions are made elsewhere, by the pure machine in `turn`; the engine is its hands. A message comes in through
//! [`inbox`](Engine::accept), a [`worker`] claims its turn and asks the machine what to do, [`commit`] writes what
//! must be durable in one transaction, [`ask`] talks to the model, [`dispatch`] runs tools, and [`feed`] and
//! [`reader`] show it all to whoever follows.
//!
//! Invariants:
//! - nothing is acknowledged, published or woken before its transaction has committed;
//! - every write of a turn carries its fencing epoch; a worker that lost its lease changes nothing;
//! - intent before effect, effect before result, result together with the transcript.
//!
//! What it must never do: speak HTTP, write SQL, know a wire format.

mod abilities;
mod addresses;
mod agent_file;
mod agents;
mod answers;
mod approvals;
mod aside;
mod ask;
mod backup_schedule;
mod backups;
mod batch;
mod bridges;
mod budget;
mod call_colleagues;
mod call_files;
mod call_http;
mod call_processes;
mod change;
mod chat;
mod commands;
mod commit;
mod compaction;
mod control;
mod crash;
mod dispatch;
mod draft;
mod dress;
mod engine;
mod errand_delivery;
mod errands;
mod error;
mod feed;
mod feedback;
mod files;
mod follow;
mod fork;
mod fork_write;
mod functions;
mod gate;
mod grep;
mod guards;
mod handler;
mod help;
mod hints;
mod hooks;
mod house;
mod ids;
mod in_order;
mod inbox;
mod lease;
mod master_key;
mod moments;
mod notice;
mod observe;
mod offers;
mod once;
mod open_message;
mod opening;
mod origin;
mod outputs;
mod outside;
mod parties;
mod patience;
mod people;
mod people_calls;
mod picture_size;
mod pictures;
mod plan;
mod prompt;
mod prompts;
mod provenance;
mod providers;
mod question_clock;
mod questions;
mod reader;
mod reading;
mod record;
mod recovery;
mod registries;
mod repetition;
mod reserve;
mod retention;
mod rules;
mod search;
mod secrets;
mod sessions;
mod sniff;
mod start_text;
mod superseded;
mod teaching;
mod telling;
mod title;
mod tokens;
mod trust;
mod unpriced;
mod unstored;
mod uploads;
mod usage;
mod user_reader;
mod voice;
mod waiting;
mod web_search;
mod weighing;
mod widening;
mod worker;
mod wreck;

pub use agent_file::{AgentFile, ImportedAgent};
pub use agents::AgentFields;
pub use approvals::ApprovalAnswer;
pub use backups::{Backup, BackupSettings, BackupStatus};
pub use change::Change;
pub use chat::Peer;
pub use commands::{CommandAnswer, CommandEffect, Form};
pub use compaction::Compacted;
pub use crash::{CRASH_POINTS, CutOff};
pub use engine::{Engine, Parts, Settings};
pub use error::{Error, Result};
pub use files::{FileLimits, media_type};
pub use fork::Fork;
pub use guards::GUARDS;
pub use help::{AbilityHelp, CapabilityHelp, CommandHelp, ElementHelp, Help, HelpQuery, ToolHelp};
pub use hints::{Glance, Hint, HintReader, What};
pub use house::{House, HouseFields};
pub use ids::Ids;
pub use inbox::{Accepted, NewMessage};
pub use master_key::RotatedKey;
pub use offers::Sharing;
pub use outside::Outside;
pub use people::{
    Credential, IssuedKey, LoginAttempt, MeChange, NewKey, NewPerson, Principal, SetupLink, SignedIn,
    UserChange, Watch, Whence, network_of,
};
pub use prompt::{FlatMessage, NodeView, Preview, PreviewQuestion};
pub use providers::{GivenPrice, PriceWord, ProviderFields, provider_settings, restore_providers};
pub use reader::{Reader, Start, envelope};
pub use rules::NewRule;
pub use search::{FoundSession, Match};
pub use sessions::{NewSession, SessionChange};
pub use telling::{DENIED, HELD, Telling};
pub use turn::Policy;
pub use uploads::{Download, NewFile, Receiving};
pub use usage::{BudgetLeft, UsageLine, UsageQuestion};
pub use user_reader::{UserEvent, UserReader};
pub use waiting::{Parkings, WaitsFor};
pub use web_search::{SearchBackend, Searcher};

//! What Majordomo remembers.
//!
//! This crate owns the database: the schema and its migrations, every SQL statement, the encryption of what
//! is stored, and durability. SQLite is the default, PostgreSQL serves several nodes; each query is written
//! once, over the verbs of [`Tx`], with `$1`-style parameters.
//!
//! It must never: acknowledge before the COMMIT, put a word of a person, a model or a tool on the disk in
//! the clear, answer with another person's row, decide what happens next (that is the engine's), or know of
//! HTTP, models or tools. `rusqlite` and `sqlx` are used nowhere else.
//!
//! Where to start reading: [`Store`] (open, write, read), then `migrations/0001_spine.sql`, then
//! [`sessions::take_input`], which is the heart of accepting a message. `database/lite/writer.rs` is
//! group commit; `crypto/seal.rs` is encryption.
//!
//! The order of locks in a transaction is always: the inbox key or one's own turn, then the session, then
//! the rest. A transaction that writes to two sessions takes the parent's first.

mod conflict;
mod crypto;
mod database;
mod durable_files;
mod error;
mod store;
mod table;

pub mod backup;
pub mod search;

pub use conflict::Conflict;
pub use crypto::{
    handed_key::{NodeKeys, NodeWithKeys},
    key_files::KeyFiles,
    key_ring::KeyRing,
    master_key::MasterKey,
    rotation::KeyState,
    seal::DataKey,
    vault::Vault,
};
#[doc(hidden)]
pub use database::recorded_statements::{Statement, record_statements, recorded_statements};
pub use database::{
    arg::Arg,
    checkup::{Checkup, checkup, stored_models},
    counts::Counts,
    health::Health,
    inspect::{Inspection, inspect},
    migrate::{schema_version, schema_versions},
    page::{PIECE_BYTES, Page, Paged},
    postgres::bus::{BusEars, BusNews, NOTE_BYTES, NodeBus},
    row::{Columns, Row},
    tx::Tx,
};
pub use error::{Error, Result};
pub use search::{needle::Needle, ranking::Ranking};
pub use store::{Store, make_room};
pub use table::{
    abilities, agents, api_keys, approvals, audit, calls, chat_sessions, compactions, errands, house,
    idempotency, inbox,
    kept::{folder_files, folders, saved_prompts, session_links},
    knowledge, log, messages,
    money::{budgets, model_calls, usage},
    numbers, providers, questions, rules, schedules, session_files, sessions,
    sign_in::{account_links, attempts, known_places, logins, setup_links, slots},
    titles, turns,
    turns::nodes,
    uploads, users,
};

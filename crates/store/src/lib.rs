//! What Majordomo remembers.
//!
//! This crate owns the database: the schema and its migrations, every SQL statement, the encryption of what
//! is stored, and durability. SQLite is the default, PostgreSQL serves several nodes; each query is written
//! once, over the verbs of [`Tx`], with `$1`-style parameters.
//!
//! It must never: acknowledge before the COMMIT, put a word of a person, a model or a tool on the disk in
//! the clear, answer with somebody else's row, decide what happens next (that is the engine's), or know of
//! HTTP, models or tools. `rusqlite` and `sqlx` are used nowhere else.
//!
//! Where to start reading: [`Store`] (open, write, read), then `migrations/0001_spine.sql`, then
//! [`sessions::take_input`], which is the heart of accepting a message. `lite/writer.rs` is group commit;
//! `seal.rs` is encryption.
//!
//! The order of locks in a transaction is always: the inbox key or one's own turn, then the session, then
//! the rest. Whoever writes to two sessions takes the parent's first.

mod arg;
mod checkup;
mod counts;
mod database;
mod digest;
mod error;
mod files;
mod inspect;
mod key_files;
mod key_ring;
mod lite;
mod master_key;
mod migrate;
mod needle;
mod page;
mod postgres;
mod record;
mod rotation;
mod row;
mod seal;
mod store;
mod tx;
mod vault;

pub mod abilities;
pub mod agents;
pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod backup;
pub mod budgets;
pub mod calls;
pub mod chat_sessions;
pub mod compactions;
pub mod errands;
mod health;
pub mod house;
pub mod idempotency;
pub mod inbox;
pub mod known_places;
pub mod log;
pub mod logins;
pub mod messages;
pub mod model_calls;
pub mod providers;
pub mod questions;
pub mod rules;
pub mod search;
pub mod session_files;
pub mod sessions;
pub mod titles;
pub mod turns;
pub mod uploads;
pub mod usage;
pub mod users;

pub use arg::Arg;
pub use checkup::{Checkup, checkup, stored_providers};
pub use counts::Counts;
pub use error::{Error, Result};
pub use health::Health;
pub use inspect::{Inspection, inspect};
pub use key_files::KeyFiles;
pub use key_ring::KeyRing;
pub use master_key::MasterKey;
pub use migrate::{schema_version, schema_versions};
pub use needle::Needle;
pub use page::{PIECE_BYTES, Page, Paged};
#[doc(hidden)]
pub use record::{Statement, record_statements, recorded_statements};
pub use rotation::KeyState;
pub use row::{Columns, Row};
pub use seal::DataKey;
pub use store::{Store, make_room};
pub use tx::Tx;
pub use vault::Vault;

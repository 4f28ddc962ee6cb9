//! The two kinds of database behind one set of verbs: connections, transactions, arguments, rows, pages, the schema.
//!
//! Nothing here knows what a table means. Start at [`tx`], whose verbs every query is written with; [`lite`] is SQLite
//! (`lite/writer.rs` is group commit), [`postgres`] is PostgreSQL.

pub(crate) mod arg;
pub(crate) mod checkup;
pub(crate) mod counts;
mod database;
pub(crate) mod health;
pub(crate) mod inspect;
pub(crate) mod job;
pub(crate) mod lite;
pub(crate) mod migrate;
pub(crate) mod page;
pub(crate) mod postgres;
pub(crate) mod recorded_statements;
pub(crate) mod row;
pub(crate) mod tx;

pub(crate) use database::{Address, Database};

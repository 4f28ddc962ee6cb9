//! The handlers, `<noun>/<verb>.rs`: each turns a request into one call of the engine and its outcome into an answer.

pub(crate) mod agents;
pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod backups;
pub(crate) mod capabilities;
pub(crate) mod chat;
pub(crate) mod description;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod help;
pub(crate) mod logins;
pub(crate) mod logs;
pub(crate) mod master_key;
pub(crate) mod me;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod models;
pub(crate) mod prompts;
pub(crate) mod providers;
pub(crate) mod questions;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod uploads;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod ws;

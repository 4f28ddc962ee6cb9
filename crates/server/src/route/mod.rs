//! The handlers, `<noun>/<verb>.rs`: each turns a request into one call of the engine and its outcome into an answer.

pub mod operations;

pub(crate) mod abilities;
pub(crate) mod agents;
pub(crate) mod api_keys;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod backups;
pub(crate) mod capabilities;
pub(crate) mod chat;
pub(crate) mod commands;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod house;
pub(crate) mod knowledge;
pub(crate) mod logins;
pub(crate) mod me;
pub(crate) mod messages;
pub(crate) mod page;
pub(crate) mod prompts;
pub(crate) mod providers;
pub(crate) mod questions;
pub(crate) mod rules;
pub(crate) mod schedules;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod uploads;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod ws;

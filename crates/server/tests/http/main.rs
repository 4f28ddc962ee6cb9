//! The API as a program outside sees it: real sockets, a real engine on a temporary database; the only fake is the model.

#![cfg(test)]

mod abilities;
mod agents;
mod answers;
mod approvals;
mod bounds;
mod budgets;
mod chat;
mod commands;
mod description;
mod files;
mod help;
mod house;
mod idempotency;
mod kept;
mod matrix;
mod messages;
mod metrics;
mod people;
mod plain_routes;
mod prefix;
mod providers;
mod questions;
mod rights;
mod sessions;
mod streams;
mod support;
mod torture;
mod uploads;
mod writing;

//! The API as a program outside sees it: real sockets, a real engine on a temporary database; the only fake is the model.

#![cfg(test)]

mod abilities;
mod access;
mod agents;
mod answers;
mod approvals;
mod bad_input;
mod bridges;
mod budgets;
mod chat;
mod commands;
mod control;
mod conversations;
mod crowd;
mod description;
mod endless;
mod events;
mod everything;
mod files;
mod help;
mod house;
mod hygiene;
mod idempotency;
mod matrix;
mod messages;
mod metrics;
mod people;
mod plain_routes;
mod prefix;
mod providers;
mod questions;
mod readiness;
mod rush;
mod sessions;
mod shutdown;
mod support;
mod torture;
mod uploads;
mod websocket;
mod websocket_bounds;
mod widening;

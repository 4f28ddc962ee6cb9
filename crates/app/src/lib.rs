//! The program `majordomo`: its command line, its settings and how its parts are put together.
//!
//! This crate owns what a person at a terminal meets: the commands (`cmd`), the configuration and where each value came
//! from (`config`), the data directory with its lock and its control socket, the terminal client (`chat`), and the way
//! from a directory to a running engine (`assemble`).
//!
//! It must never: know a rule of the product (the engine and the server do), open a database or ask a model by itself,
//! print a secret other than the one it was asked for, or pass a control character of a model on to the terminal.
//!
//! Where to start reading: [`run`] and `cli`, then `assemble`, then `control`, by which every command but `serve` does
//! its work: over the socket of the server that runs, or of one that it starts for itself.

mod assemble;
mod audit_note;
mod chat;
mod cli;
mod cmd;
mod config;
mod context;
mod control;
mod data;
mod descriptors;
mod error;
mod house_clock;
mod listening;
mod lock;
mod logging;
mod node_place;
mod outside;
mod run;
mod telemetry;
mod terminal;
mod time_zone;

pub use context::Extra;
pub use run::run;

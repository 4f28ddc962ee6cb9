//! The conversation in the terminal.
//!
//! `talk` knows who speaks with whom and how to send and follow; `transcript` turns events into pieces to show, without
//! a word lost or doubled; `screen` and `once` show them; `interactive` is the loop around a prompt.

pub mod approval;
mod command;
mod completion;
mod element;
mod input;
mod interactive;
mod once;
mod screen;
mod talk;
mod transcript;
mod turn;
mod welcome;

pub use self::{
    interactive::interactive,
    once::once,
    talk::{Talk, parse_session},
};

//! The conversation in the terminal.
//!
//! `talk` knows who speaks with whom and how to send and follow; `transcript` turns events into pieces to show, without
//! a word lost or doubled; `screen` and `once` show them; `interactive` is the loop around a prompt, and
//! `watch` sees what happens while a line is typed.

pub mod approval;
mod chart;
mod command;
mod completion;
mod element;
mod extent;
mod input;
mod interactive;
mod keys;
mod once;
mod outgoing;
mod output;
mod request;
mod screen;
mod sources;
mod talk;
mod transcript;
mod turn;
mod watch;
mod welcome;

pub use self::{
    interactive::interactive,
    once::once,
    outgoing::NextMessage,
    talk::{Talk, WantedTalk, parse_question, parse_session},
};

//! How clients follow what happens.
//!
//! **Owns** the feed of each session, the text of the open message, readers with their cursors, hints for windows
//! that follow everything a person has; and what comes from and goes to other nodes, so that any of them serves any reader.
//! **Must never** write to the store, keep a queue per reader, or show what is not committed as if it were.
//! **Start at** [`reader`], then [`feed`]; what another node does comes in by [`inlet`] and [`relay`].

mod awaited_turns;
pub(crate) mod feed;
pub(crate) mod frame;
pub(crate) mod hint_reader;
pub(crate) mod hints;
pub(crate) mod inlet;
pub(crate) mod live_wants;
mod log_page;
mod looks;
pub(crate) mod mirror;
pub(crate) mod missed;
mod newer_kinds;
pub(crate) mod open_message;
pub(crate) mod open_reader;
pub(crate) mod publish;
pub(crate) mod read_log;
pub(crate) mod reader;
pub(crate) mod relay;
pub(crate) mod tool_output;
pub(crate) mod until;
pub(crate) mod user_reader;
pub(crate) mod waiters;

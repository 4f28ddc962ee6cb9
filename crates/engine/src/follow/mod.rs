//! How clients follow what happens.
//!
//! **Owns** the feed of each session, the text of the open message, readers with their cursors, hints for windows
//! that follow everything a person has.
//! **Must never** write to the store, keep a queue per reader, or show what is not committed as if it were.
//! **Start at** [`reader`], then [`feed`].

pub(crate) mod feed;
pub(crate) mod frame;
pub(crate) mod hints;
pub(crate) mod open_message;
pub(crate) mod open_reader;
pub(crate) mod publish;
pub(crate) mod read_log;
pub(crate) mod reader;
pub(crate) mod tool_output;
pub(crate) mod user_reader;
pub(crate) mod waiters;

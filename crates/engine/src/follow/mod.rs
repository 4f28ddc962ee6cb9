//! How clients follow what happens: live feeds, readers of the log, hints for everything a person has.

pub(crate) mod feed;
pub(crate) mod hints;
pub(crate) mod open_message;
pub(crate) mod open_reader;
pub(crate) mod publish;
pub(crate) mod reader;
pub(crate) mod tool_output;
pub(crate) mod user_reader;

//! The Messages wire: how a request is written and an answer is read. Pure: bytes in, events out.
//!
//! What this wire has and others have not (signed reasoning, encrypted search results, citations) is kept as the JSON it
//! came as and given back unchanged, in its place; see [`crate::ReplyPart::Native`].

mod block;
mod blocks;
mod event;
mod models;
mod parameters;
mod reply;
mod request;
mod transcript;

pub(crate) use models::model_list;
pub(crate) use parameters::reply_tokens;
pub(crate) use reply::{Ending, Reply};
pub(crate) use request::{AnthropicRequest, Native};

/// The version of the wire that is spoken.
pub(crate) const VERSION: &str = "2023-06-01";

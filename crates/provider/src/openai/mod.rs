//! The Chat Completions wire: how a request is written and an answer is read. Pure: bytes in, events out.

mod calls;
mod chunk;
mod models;
mod reply;
mod request;

pub(crate) use models::model_list;
pub(crate) use reply::Reply;
pub(crate) use request::body;

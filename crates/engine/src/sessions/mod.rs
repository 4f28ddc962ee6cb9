//! Sessions: made, listed, changed, forked, searched, declared trusted.

pub(crate) mod fork;
mod form_answers;
pub(crate) mod message_order;
pub(crate) mod search;
mod sessions;
pub(crate) mod trust;
pub(crate) mod write_fork;

pub use sessions::*;

//! Sessions: made, listed, changed, forked, searched, declared trusted.
//!
//! **Owns** everything a person does to a session besides talking in it.
//! **Must never** lower a label unless its person declares the session trusted ([`trust`]).
//! **Start at** `sessions.rs`, then [`fork`].

pub(crate) mod change_many;
mod create;
pub(crate) mod export;
mod export_words;
pub(crate) mod folders;
pub(crate) mod fork;
mod form_answers;
pub(crate) mod message_order;
pub(crate) mod search;
mod sessions;
pub(crate) mod share_links;
pub(crate) mod trust;
pub(crate) mod undo_deletion;
pub(crate) mod write_fork;

pub use create::NewSession;
pub use sessions::*;

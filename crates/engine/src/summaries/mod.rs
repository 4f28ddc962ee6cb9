//! Titles and summaries that a model makes beside a turn.
//!
//! **Owns** when one is due, asking for it, what is accepted as one, publishing it.
//! **Must never** hold a turn up, or replace a name that a person gave.
//! **Start at** [`compact`].

pub(crate) mod accept;
pub(crate) mod ask_model;
pub(crate) mod compact;
pub(crate) mod cut;
mod flush;
pub(crate) mod lines;
pub(crate) mod publish;
pub(crate) mod settings;
pub(crate) mod summarise;
pub(crate) mod title;

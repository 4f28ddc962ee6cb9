//! Titles and summaries that a model makes beside a turn.

pub(crate) mod accept;
pub(crate) mod ask_model;
pub(crate) mod compact;
pub(crate) mod cut;
pub(crate) mod lines;
pub(crate) mod publish;
pub(crate) mod settings;
pub(crate) mod summarise;
pub(crate) mod title;

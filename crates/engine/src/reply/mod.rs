//! What a model wrote, as its readers see it: parsed while it streams, shown again from what was stored.

pub(crate) mod as_text;
pub(crate) mod elements;
pub(crate) mod read_stream;

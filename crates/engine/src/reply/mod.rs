//! What a model wrote, as its readers see it.
//!
//! **Owns** deriving the elements of a message again from its stored text, and the whole reply of a turn as one text.
//! **Must never** store an element, or make a call of one: only the stream of the running step is read for calls
//! (`model/read_stream.rs`).
//! **Start at** [`elements`].

pub(crate) mod approval_workplace;
pub(crate) mod as_text;
pub(crate) mod elements;
pub(crate) mod shorten;

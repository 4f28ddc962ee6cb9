//! What a model wrote, as its readers see it.
//!
//! **Owns** reading an agent's text while it streams, and deriving its elements again from what was stored. Elements
//! are never stored.
//! **Must never** read anything but the stream of the running step for calls; words of people, tools and old messages
//! may look like markup.
//! **Start at** [`read_stream`], then [`elements`].

pub(crate) mod as_text;
pub(crate) mod elements;
pub(crate) mod read_stream;

//! How a message comes in: from people, as an answer, from the peers of bridges.

pub(crate) mod accept;
mod answer;
pub(crate) mod bridges;
pub(crate) mod peers;
pub(crate) mod tell_peer;

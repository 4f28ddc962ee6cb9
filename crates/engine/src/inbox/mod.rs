//! How a message comes in.
//!
//! **Owns** messages of people, answers that name what they answer, what bridges deliver, what is due ([`due`]), and what a bridge's peer is
//! told.
//! **Must never** take words for an answer that they do not name, or acknowledge before the commit.
//! **Start at** [`accept`].

pub(crate) mod accept;
mod answer;
pub(crate) mod bridges;
pub(crate) mod due;
pub(crate) mod peers;
pub(crate) mod queue;
pub(crate) mod tell_peer;
pub(crate) mod versions;

//! The calls of a message.

mod calls;
mod feedback;
mod limits;

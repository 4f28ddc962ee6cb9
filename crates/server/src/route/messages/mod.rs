//! The transcript, and the two ways to add to it: one answer at the end, or a stream on the way.

mod fold;
mod inbound;
mod list;
mod send;
mod stream;
mod waits;

pub(crate) use self::{
    fold::{Folded, Followed, LastMessage, fold},
    inbound::{Attachment, Outgoing},
    list::list,
    send::send,
    stream::stream,
    waits::{InputRequired, OrWaits, Waiting, WaitsFor},
};

//! A session's log: read again, or followed.

mod follow;
mod list;

pub(crate) use self::{follow::follow, list::list};

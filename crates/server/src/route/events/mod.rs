//! A session's log, read again or followed; and everything at once.

mod everything;
mod follow;
mod list;

pub(crate) use self::{everything::everything, follow::follow, list::list};

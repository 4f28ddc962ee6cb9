//! What was done, by whom.

mod list;

pub(crate) use self::list::list;

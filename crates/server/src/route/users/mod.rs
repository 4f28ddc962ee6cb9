//! The people of the house; for now only through the control socket.

mod create;
mod list;

pub(crate) use self::{create::create, list::list};

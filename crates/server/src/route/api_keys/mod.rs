//! The keys of a person's programs; for now only through the control socket.

mod create;
mod list;
mod revoke;

pub(crate) use self::{create::create, list::list, revoke::revoke};

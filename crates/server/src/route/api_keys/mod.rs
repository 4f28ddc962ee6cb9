//! The keys of a person's programs.

mod create;
mod list;
mod revoke;

pub(crate) use self::{create::create, list::list, revoke::revoke};

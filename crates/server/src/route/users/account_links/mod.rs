//! Links by which a person creates their account, or chooses a new password.

mod create;
mod join;
mod list;
mod look;
mod revoke;

pub(crate) use self::{create::create, join::join, list::list, look::look, revoke::revoke};

//! Backups of the whole house.

mod create;
mod list;

pub(crate) use self::{create::create, list::list};

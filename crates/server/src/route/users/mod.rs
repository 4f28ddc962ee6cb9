//! The people of the house, managed by the owner and the admins.

pub(crate) mod account_links;
mod change;
mod create;
mod list;
mod remove;

pub(crate) use self::{change::change, create::create, list::list, remove::remove};

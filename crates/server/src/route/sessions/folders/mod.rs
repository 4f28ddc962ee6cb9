//! Folders of conversations.

mod change;
mod create;
mod delete;
pub(crate) mod files;
mod get;
mod list;

pub(crate) use self::{change::change, create::create, delete::delete, get::get, list::list};

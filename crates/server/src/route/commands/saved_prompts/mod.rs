//! Prompts that people keep under names of their own.

mod create;
mod delete;
mod get;
mod list;
mod put;

pub(crate) use self::{create::create, delete::delete, get::get, list::list, put::put};

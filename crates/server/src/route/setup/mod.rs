//! The first minute of a house: the page behind the set-up link, and what it sends.

mod create;
mod get;
mod page;

pub(crate) use self::{create::create, get::get, page::page};

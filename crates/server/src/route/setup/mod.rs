//! The first minute of a house: the page behind the set-up link, and what it sends.

mod create;
mod page;

pub(crate) use self::{create::create, page::page};

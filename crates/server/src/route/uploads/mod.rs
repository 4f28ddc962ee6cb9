//! Files: handed in as forms, given back as attachments.

mod create;
mod get;

pub(crate) use self::{create::create, get::get};

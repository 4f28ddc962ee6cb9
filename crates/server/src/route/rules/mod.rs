//! What may run without asking, what is asked about, and what never runs.

mod create;
mod delete;
mod list;

pub(crate) use self::{create::create, delete::delete, list::list};

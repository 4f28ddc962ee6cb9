//! What agents remember of a person.

mod change;
mod create;
mod delete;
mod get;
mod history;
mod list;
mod purge;
mod review;
mod undo;

pub(crate) use self::{
    change::change, create::create, delete::delete, get::get, history::history, list::list, purge::purge,
    review::review, undo::undo,
};

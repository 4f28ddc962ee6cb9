//! Conversations: made, found, named, put away, stopped and tried again.

mod abort;
mod archive;
mod change;
mod compact;
mod create;
mod delete;
mod export;
pub(crate) mod folders;
mod fork;
mod get;
mod keep;
pub(crate) mod links;
mod list;
mod retry;
mod trust;

pub(crate) use self::{
    abort::abort,
    archive::{archive, unarchive},
    change::change,
    compact::compact,
    create::create,
    delete::delete,
    export::export,
    fork::fork,
    get::get,
    keep::keep,
    list::list,
    retry::retry,
    trust::trust,
};

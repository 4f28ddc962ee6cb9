//! Conversations: made, found, named, put away, stopped and tried again.

mod abort;
mod archive;
mod change;
mod change_many;
mod compact;
mod create;
mod delete;
mod export;
pub(crate) mod folders;
mod fork;
mod get;
mod list;
mod queue;
mod retry;
pub(crate) mod share_links;
mod trust;
mod versions;

pub(crate) use self::{
    abort::abort,
    archive::{archive, unarchive},
    change::change,
    change_many::change_many,
    compact::compact,
    create::create,
    delete::delete,
    export::export,
    fork::fork,
    get::get,
    list::list,
    queue::{queue, take_back},
    retry::retry,
    trust::trust,
    versions::{create_version, show_version, versions},
};

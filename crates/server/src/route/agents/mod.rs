//! Agents, seen by the people they belong to.

mod accept;
mod change;
mod create;
mod delete;
mod export;
mod get;
mod import;
mod list;
mod preview;
mod view;

pub(crate) use self::{
    accept::{accept, decline},
    change::change,
    create::create,
    delete::delete,
    export::export,
    get::get,
    import::import,
    list::list,
    preview::preview,
};

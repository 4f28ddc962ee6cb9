//! The files of a session: listed, read, written, deleted, searched.

mod address;
mod delete;
mod get;
mod grep;
mod list;
mod put;
mod stat;

pub(crate) use self::{
    address::FileAddress,
    delete::delete,
    get::get,
    grep::grep,
    list::list,
    put::{FileBody, put},
    stat::stat,
};

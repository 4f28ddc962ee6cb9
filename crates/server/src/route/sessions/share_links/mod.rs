//! Links that show a conversation to other people of the server.

mod create;
mod list;
mod revoke;
mod show;

pub(crate) use self::{create::create, list::list, revoke::revoke, show::show};

//! Signing in and out, and where one is signed in.

mod end;
mod list;
mod login;
mod logout;

pub(crate) use self::{end::end, list::list, login::login, logout::logout};

//! What is set for the whole house.

mod get;
mod put;

pub(crate) use self::{get::get, put::put};

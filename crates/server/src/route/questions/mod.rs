//! Questions of agents to their people.

mod answer;
mod list;

pub(crate) use self::{answer::answer, list::list};

//! What agents want to do, and may do with the yes of their person.

mod answer;
mod list;

pub(crate) use self::{answer::answer, list::list};

//! Prompts in agents' messages.

mod answer;
mod path;

pub(crate) use self::answer::answer;

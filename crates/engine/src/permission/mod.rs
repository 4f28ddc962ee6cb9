//! What the gate is told of a call: the chain of those whose rights count, and the rules of people.

pub(crate) mod rights_chain;
pub(crate) mod rules;
pub(crate) mod settings;

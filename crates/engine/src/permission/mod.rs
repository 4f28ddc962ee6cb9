//! What the gate is told of a call: the chain of those whose rights count, the rules of people, what was read for a decision;
//! and what a person is asked where the gate wants that.

pub(crate) mod approval_request;
pub(crate) mod circumstances;
pub(crate) mod rights_chain;
pub(crate) mod rules;
pub(crate) mod settings;

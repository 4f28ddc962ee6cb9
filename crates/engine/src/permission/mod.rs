//! What the gate is told of a call.
//!
//! **Owns** the rules of people, and the chain of those whose rights count for a call.
//! **Must never** decide: the decision is the pure crate `gate`.
//! **Start at** [`rights_chain`].

pub(crate) mod approval_request;
pub(crate) mod circumstances;
pub(crate) mod reach;
pub(crate) mod rights_chain;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod spend_rules;

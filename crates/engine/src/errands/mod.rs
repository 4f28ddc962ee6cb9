//! Work that an agent gives to another agent.
//!
//! **Owns** finding the colleague or making the subagent, how deep and wide errands may go, the rows of the child
//! session.
//! **Must never** give an errand more rights or money than its asker has.
//! **Start at** [`prepared_errand`].

pub(crate) mod colleague;
pub(crate) mod depth_and_width;
pub(crate) mod errand_refusal;
pub(crate) mod in_flight;
pub(crate) mod prepared_errand;
pub(crate) mod settings;
pub(crate) mod subagent;

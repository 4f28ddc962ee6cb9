//! Work that an agent gives to another agent.

pub(crate) mod errand_refusal;
pub(crate) mod in_flight;
pub(crate) mod prepared_errand;

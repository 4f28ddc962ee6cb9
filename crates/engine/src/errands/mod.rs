//! Work that an agent gives to another agent.

pub(crate) mod in_flight;
pub(crate) mod prepared_errand;
pub(crate) mod settings;

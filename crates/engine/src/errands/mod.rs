//! Work that an agent gives to another agent.

pub(crate) mod colleague;
pub(crate) mod depth_and_width;
pub(crate) mod in_flight;
pub(crate) mod prepared_errand;
pub(crate) mod settings;
pub(crate) mod subagent;

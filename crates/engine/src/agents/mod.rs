//! Agents, their abilities, and the capabilities a person's agents can have.

pub(crate) mod abilities;
pub(crate) mod agent_file;
mod agents;
pub(crate) mod capability_sources;
pub(crate) mod handler;
pub(crate) mod house_prompt;
pub(crate) mod offers;
pub(crate) mod settings;
pub(crate) mod widening;

pub use agents::*;

//! Agents, their abilities, and what a person's agents can have.
//!
//! **Owns** making and changing agents, sharing and offering them, abilities that people write, the list of sources
//! of capabilities, the models that there are and the default one.
//! **Must never** give an agent more than a person has confirmed ([`widening`]).
//! **Start at** `agents.rs`, then [`capability_sources`].

pub(crate) mod abilities;
pub(crate) mod agent_file;
mod agents;
pub(crate) mod capability_sources;
mod chosen_model;
pub(crate) mod default_model;
pub(crate) mod handler;
pub(crate) mod house_prompt;
pub(crate) mod known_models;
pub(crate) mod offers;
pub(crate) mod settings;
pub(crate) mod widening;

pub use agents::*;

//! What the engine promises, tried on a real store with a scripted model. The only fake is the model.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests end the tasks that they start")]

mod world;

mod agents;
mod budget;
mod calls;
mod commands;
mod errands;
mod files;
mod follow;
mod inbox;
mod model;
mod permission;
mod ports;
mod recovery;
mod reply;
mod sessions;
mod summaries;
mod upkeep;
mod waiting;
mod worker;

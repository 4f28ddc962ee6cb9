//! Tests of several nodes: two or three real processes on one real PostgreSQL, each with its own data directory and, where a test says so,
//! with a clock of its own. The only fake is the model.

#![cfg(test)]

mod clocks;
mod drain;
#[expect(dead_code, reason = "the rest of it is for tests that follow over restarts")]
#[path = "../system/follower.rs"]
mod follower;
mod house;
mod idempotency;
mod keys;
mod limits;
mod load;
mod moves;
mod readers;
mod rights;
mod rolling;
mod settings;
mod setup;
mod several;
mod stop;
mod storm;
mod takeover;
mod twins;
mod upgrade;

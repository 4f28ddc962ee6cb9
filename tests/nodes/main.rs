//! Tests of several nodes: two or three real processes on one real PostgreSQL, each with its own data directory and, where a test says so,
//! with a clock of its own. The only fake is the model.

#![cfg(test)]

mod beside;
#[path = "../system/checker.rs"]
mod checker;
mod clocks;
mod drain;
mod faults;
#[expect(dead_code, reason = "the rest of it is for tests that follow over restarts")]
#[path = "../system/follower.rs"]
mod follower;
#[expect(dead_code, reason = "the rest of it is for tests about money")]
#[path = "../system/ground.rs"]
mod ground;
mod house;
mod idempotency;
mod idle;
mod keys;
mod limits;
mod load;
mod moves;
mod readers;
mod restored;
mod rights;
mod rolling;
#[path = "../system/script.rs"]
mod script;
mod secret;
#[path = "../system/sending.rs"]
mod sending;
mod settings;
mod setup;
mod several;
mod shown;
mod soak;
mod stop;
mod storm;
mod takeover;
mod titles;
mod twins;
mod unheard;
mod upgrade;
#[expect(dead_code, reason = "the rest of it is for tests with questions and stops")]
#[path = "../system/window.rs"]
mod window;
mod wire;
#[expect(dead_code, reason = "the rest of it is for tests of one process")]
#[path = "../system/world.rs"]
mod world;

//! Several real processes on one real PostgreSQL: whichever of them a person talks to, it is the same house.

#![cfg(test)]

#[expect(dead_code, reason = "the rest of it is for tests that follow over restarts")]
#[path = "../system/follower.rs"]
mod follower;
mod house;
mod idempotency;
mod moves;
mod readers;
mod stop;

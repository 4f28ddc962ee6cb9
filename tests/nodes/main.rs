//! Several real processes on one real PostgreSQL: whichever of them a person talks to, it is the same house.

#![cfg(test)]

#[path = "../system/follower.rs"]
mod follower;
mod house;
mod idempotency;
mod moves;
mod readers;
mod stop;

//! Tests of several nodes: two or three real processes on one real PostgreSQL, each with its own data directory and, where a test says so,
//! with a clock of its own. The only fake is the model.

#![cfg(test)]

mod clocks;
mod rolling;
mod several;
mod takeover;
mod twins;

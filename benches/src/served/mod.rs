//! What is measured on a program in a process of its own, beside floors that are processes, too.

mod chunk_rows;
pub mod chunks;
mod entrants;
pub mod fan_out;
pub mod memory;
pub mod nodes;
pub mod overload;
mod peer;
pub mod ramp;
pub mod replay;
pub mod start;
pub mod turns;

//! What is measured on a program in a process of its own, beside floors that are processes, too.

pub mod chunks;
mod entrants;
pub mod fan_out;
pub mod replay;

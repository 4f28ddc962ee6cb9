//! What may run, and what may leave.

pub mod labels;
mod laundering;
mod leave;
mod peers;
mod ways_out;
mod week;

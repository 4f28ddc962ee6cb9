//! What may run, and what may leave.

mod file_labels;
pub mod labels;
pub mod laundering;
mod leave;
mod peers;
mod ways_out;
mod week;

//! What may run, and what may leave.

mod file_labels;
pub mod labels;
mod late_words;
pub mod laundering;
mod leave;
mod long_answers;
mod peers;
mod ways_out;
mod week;

//! What is encrypted, and under which key.

pub mod labels;
pub mod rotation;
pub mod sealing;

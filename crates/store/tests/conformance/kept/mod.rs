//! What people keep besides their conversations, and by which numbers they name it.

pub mod folders;
pub mod library;
pub mod numbers;

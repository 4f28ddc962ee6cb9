//! Words in names that mislead, and sizes in words.

pub mod misleading;
pub mod size;

//! Words in names that mislead, sizes in words, and fields that a change leaves, resets or sets.

pub mod misleading;
pub mod patch;
pub mod size;

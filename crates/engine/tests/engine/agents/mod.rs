//! Agents and their abilities.

pub mod abilities;

//! Agents, their abilities, and what an admin adds to every prompt.

pub mod abilities;
mod house_prompt;

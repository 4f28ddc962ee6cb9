//! Slash commands.

mod commands;

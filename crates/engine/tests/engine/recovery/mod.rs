//! What comes after a crash or a restore.

mod recovery;
mod restoring;
mod unreadable_turns;
mod wedged;

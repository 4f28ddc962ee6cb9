//! Backups, and the removal of people.

mod backups;
mod removal;

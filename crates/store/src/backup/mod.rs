//! Backups: a picture of the whole database in one file, the same for SQLite and PostgreSQL.
//!
//! The store reads a backup in one snapshot while people go on working. It holds what the tables hold (so words
//! only as ciphertext, and no master key), and counts as made only after it has been restored into a
//! temporary database whose contents have the same checksum. Because rows are written as values, not as
//! pages, a backup of one kind of database restores into the other.
//!
//! The file: the line `majordomo backup 1`, the parts one after the other (one per table), a manifest in
//! JSON, and 48 bytes that say where the manifest begins and what its SHA-256 is. See `archive` for the
//! details and `rows` for how a row is written.

mod archive;
mod checksum;
mod halt;
mod load;
mod progress;
mod restore;
mod rows;
mod schema;
mod ways_in;
mod write;

pub use self::{
    archive::{Manifest, Part, manifest},
    halt::Halted,
    progress::{Progress, Stage},
    restore::{Restored, Restoring, check, check_digests, restore},
    ways_in::ClosedAccess,
    write::{make, make_of},
};
pub(crate) use self::{
    checksum::hex,
    restore::beside,
    schema::{Kind, Table},
};

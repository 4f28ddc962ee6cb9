//! What can be set about the database: its backups, its disk, its key.

use std::{path::PathBuf, time::Duration};

#[derive(Clone, Debug, Default)]
pub struct BackupSettings {
    /// Where they are kept; none means that they are made only where a person says.
    pub folder: Option<PathBuf>,
    /// How often one is made by itself; none means never.
    pub every: Option<Duration>,
    /// Are old ones thinned out?
    pub thin_out: bool,
}

impl BackupSettings {
    /// Are backups made by themselves?
    pub(crate) fn is_daily(&self) -> bool {
        self.every.is_some() && self.folder.is_some()
    }
}

#[derive(Clone, Debug, Default)]
pub struct StorageSettings {
    /// What is kept free on the disk of the database, so that what has begun can be ended when it is full; 0 for nothing.
    pub reserve_bytes: u64,
    /// The file of the master key; none when it comes from elsewhere and cannot be changed.
    pub key_file: Option<PathBuf>,
}

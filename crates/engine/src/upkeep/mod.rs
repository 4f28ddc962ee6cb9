//! What keeps the data: backups, their retention, the master key.

pub(crate) mod backup_retention;
pub(crate) mod backups;
pub(crate) mod daily_backup;
pub(crate) mod master_key;
pub(crate) mod prune;
pub(crate) mod revocation_recheck;
pub(crate) mod settings;

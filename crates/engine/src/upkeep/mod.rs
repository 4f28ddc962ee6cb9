//! What keeps the data.
//!
//! **Owns** backups and their retention, the change of the master key, pruning, removing people, what other nodes must hear of people, the list of the nodes.
//! **Must never** hold work up.
//! **Start at** [`backups`].

pub(crate) mod backup_retention;
pub(crate) mod backups;
pub(crate) mod daily_backup;
pub(crate) mod handed_key;
pub(crate) mod master_key;
pub(crate) mod nodes;
pub(crate) mod people_elsewhere;
pub(crate) mod prune;
pub(crate) mod remove_person;
pub(crate) mod revocation_recheck;
pub(crate) mod settings;

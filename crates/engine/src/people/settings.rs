//! What can be set about signing in.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct PeopleSettings {
    /// What a password costs to check, in KiB of memory; three passes over it.
    pub password_memory: u32,
    /// How often the store is asked again whether the proofs of live streams and long requests still count.
    pub recheck: Duration,
}

impl Default for PeopleSettings {
    fn default() -> Self {
        Self { password_memory: 64 * 1024, recheck: Duration::from_secs(2) }
    }
}

//! What can be set about files, and about searches in them.

use crate::files::session_files::FileLimits;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct FileSettings {
    /// How large one uploaded file may be, in bytes.
    pub upload_bytes: u64,
    /// What all files of one person may have together, in bytes.
    pub upload_quota: u64,
    /// What the files of one session may have.
    pub session: FileLimits,
    /// What the files of one message may have in a prompt together, in tokens.
    pub attached_tokens: u64,
    /// What reading one file may cost.
    pub reading: documents::Limits,
    /// How long one piece of a search may take.
    pub search_time: Duration,
}

impl Default for FileSettings {
    fn default() -> Self {
        Self {
            upload_bytes: 20 << 20,
            upload_quota: 1 << 30,
            session: FileLimits { file_bytes: 16 << 20, session_bytes: 64 << 20, entries: 10_000 },
            attached_tokens: 24_000,
            reading: documents::Limits::default(),
            search_time: Duration::from_millis(500),
        }
    }
}

//! What can be set about the engine.

use crate::{files::session_files::FileLimits, ports::outside::Outside, upkeep::backups::BackupSettings};
use std::{path::PathBuf, time::Duration};
use turn::Policy;

/// What can be set about the engine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a turn stays ours without a sign of life.
    pub lease: Duration,
    pub policy: Policy,
    /// The limits of agents that set none.
    pub limits: domain::Limits,
    /// What each person may spend of whom no admin has said it.
    pub budget: domain::Budget,
    /// Where the midnight is at which a day of every budget ends.
    pub budget_zone: String,
    /// A tool result longer than this is cut in its middle, in characters.
    pub result_chars: usize,
    /// Inputs that may wait in one session.
    pub queue: u64,
    /// Errands of agents for agents that one message may lead to, at whatever distance.
    pub errands: u64,
    /// What a password costs to check, in KiB of memory; three passes over it.
    pub password_memory: u32,
    /// How often live streams and long requests are asked whether who began them still may.
    pub recheck: Duration,
    /// How much one message of a model may hold, in bytes; past it the message ends with `length`.
    pub reply_bytes: usize,
    /// Take up the turns that a dead process left. A command that only lists or adds something leaves them to the server.
    pub takes_up: bool,
    /// How large one uploaded file may be, in bytes.
    pub upload_bytes: u64,
    /// What all files of one person may have together, in bytes.
    pub upload_quota: u64,
    /// What the files of one session may have.
    pub files: FileLimits,
    /// How long one piece of a search may take.
    pub search_time: Duration,
    /// What the house adds to every agent's prompt.
    pub custom_prompt: String,
    /// How long one hook may take.
    pub hook_time: Duration,
    /// How long a model may take for a summary.
    pub summary_time: Duration,
    /// How long a person may take to say yes; no answer by then is a no.
    pub approval_expiry: Duration,
    /// Ask the model for titles of sessions that nobody named.
    pub titles: bool,
    pub backups: BackupSettings,
    /// What is kept free on the disk of the database, so that what has begun can be ended when it is full; 0 for nothing.
    pub reserve_bytes: u64,
    /// The file of the master key; none when it comes from elsewhere and cannot be changed.
    pub key_file: Option<PathBuf>,
    /// What tools reach beyond the database.
    pub outside: Outside,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            policy: Policy::default(),
            limits: domain::Limits::default(),
            budget: domain::Budget::NONE,
            budget_zone: "UTC".to_owned(),
            result_chars: 16_000,
            queue: 100,
            errands: 200,
            password_memory: 64 * 1024,
            recheck: Duration::from_secs(2),
            reply_bytes: 4 << 20,
            takes_up: true,
            upload_bytes: 20 << 20,
            upload_quota: 1 << 30,
            files: FileLimits { file_bytes: 16 << 20, session_bytes: 64 << 20, entries: 10_000 },
            search_time: Duration::from_millis(500),
            custom_prompt: String::new(),
            hook_time: Duration::from_secs(2),
            summary_time: Duration::from_secs(120),
            approval_expiry: Duration::from_secs(24 * 3_600),
            titles: false,
            backups: BackupSettings::default(),
            reserve_bytes: 0,
            key_file: None,
            outside: Outside::default(),
        }
    }
}

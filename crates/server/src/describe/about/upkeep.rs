//! What keeps a house in order.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/backups", "List the backups")
        .detail("Never paged. A backup that is being made comes first, with its progress.")
        .codes(&["backup_failed", "no_backup_folder"]),
    About::new("POST", "/v1/backups", "Make a backup")
        .detail("Answers when the backup is written and verified. `path` is only for commands on the machine of the server.")
        .codes(&["backup_failed", "backup_running", "bad_path", "no_backup_folder"]),
    About::new("GET", "/v1/logs", "The newest lines of the log").detail(
        "The oldest of them first; with `after`, the lines after that one. They contain ids, never contents.",
    ),
    About::new("GET", "/v1/nodes", "List the servers")
        .detail("The servers that work on the same PostgreSQL, those that have run longest first. On SQLite it is this one. Never paged."),
    About::new("POST", "/v1/master-key/rotate", "Change the master key")
        .detail("Also finishes a change that was interrupted. Everything stays readable meanwhile.")
        .codes(&["backup_running", "key_not_in_file", "key_not_taken"]),
];

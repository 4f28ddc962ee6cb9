//! What keeps a house in order.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/backups", "The backups there are")
        .detail("Never paged. The one that is being made comes first, with how far it is.")
        .codes(&["backup_failed", "no_backup_folder"]),
    About::new("POST", "/v1/backups", "Make a backup")
        .detail("Answers when it is made and verified. `path` is for commands on the server's own machine.")
        .codes(&["backup_failed", "backup_running", "bad_path", "no_backup_folder"]),
    About::new("GET", "/v1/logs", "The newest lines of the log").detail(
        "The oldest of them first; with `after`, the lines that follow that one. Ids, never contents.",
    ),
    About::new("POST", "/v1/master-key/rotate", "Change the master key")
        .detail("Or finish a change that was begun. Everything stays readable meanwhile.")
        .codes(&["backup_running", "key_not_in_file"]),
];

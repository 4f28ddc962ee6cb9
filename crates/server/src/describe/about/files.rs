//! The files of a session.

use super::About;
use domain::FileInfo;

const PATHS: &[&str] = &["bad_file_path"];

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/sessions/{id}/files", "List a folder of a session")
        .detail("Files and folders by name. Agents with the capability `session_file_system` see the same.")
        .codes(&["bad_file_path", "not_a_directory"]),
    About::new("GET", "/v1/sessions/{id}/files:stat", "Show what is at a path")
        .detail("If there is nothing, `exists` is false and `file` is null.")
        .codes(PATHS),
    About::new("POST", "/v1/sessions/{id}/files:grep", "Find lines in the files of a session")
        .detail(
            "Lines of text files that match a regular expression, at most 100. In `path_pattern`, `*` and `?` stand for \
             anything within a name and `**` for anything.",
        )
        .codes(&["bad_pattern"]),
    About::new("GET", "/v1/sessions/{id}/files/{*path}", "Download a file of a session")
        .codes(&["is_directory"])
        .also(|shape| shape.answer::<String>(200, "*/*")),
    About::new("PUT", "/v1/sessions/{id}/files/{*path}", "Write a file of a session")
        .detail(
            "The body is the whole file, of any type. Missing folders are created. 201 when the file is new, 200 when it \
             existed.",
        )
        .codes(&["file_exists", "file_quota", "file_read_only", "is_directory", "not_a_directory", "root_directory"])
        .also(|shape| shape.answer::<FileInfo>(200, "application/json")),
    About::new("DELETE", "/v1/sessions/{id}/files/{*path}", "Delete a file or a folder of a session")
        .codes(&["directory_not_empty", "file_read_only", "root_directory"]),
];

//! Folders of conversations.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/folders", "List your folders").detail("The oldest first."),
    About::new("POST", "/v1/folders", "Make a folder")
        .detail(
            "The agent is told the folder's `instructions` in every conversation of it, as your own words. A session is in at most one \
             folder: `PATCH /v1/sessions/{id}` with `folder_id`. A folder has no files of its own.",
        )
        .codes(&["bad_instructions", "bad_name", "too_many_folders"]),
    About::new("GET", "/v1/folders/{id}", "One folder"),
    About::new("PATCH", "/v1/folders/{id}", "Change a folder")
        .detail(
            "With `version`, nothing is changed if the folder has another version by now (409 `folder_changed`); without it the last \
             change of each field counts.",
        )
        .codes(&["bad_instructions", "bad_name", "folder_changed"]),
    About::new("DELETE", "/v1/folders/{id}", "Delete a folder")
        .detail("The conversations in it stay, in no folder."),
];

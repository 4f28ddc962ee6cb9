//! How people keep what they have said: folders, prompts of their own, links for others, files.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/folders", "List your folders").detail("The oldest first."),
    About::new("POST", "/v1/folders", "Make a folder")
        .detail(
            "The agent is told the folder's `instructions` in every conversation of it, as your own words. A session is in at most one \
             folder: `PATCH /v1/sessions/{id}` with `folder_id`.",
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
        .detail("The conversations in it stay, in no folder. Its files are deleted, except those that a message shows."),
    About::new("GET", "/v1/folders/{id}/files", "List the files of a folder").detail("The newest first."),
    About::new("POST", "/v1/folders/{id}/files", "Add a file to a folder")
        .detail(
            "The file is an upload of yours (`POST /v1/uploads`) with text in it. In every conversation of the folder the agent is told the \
             beginnings of its files, and reads the rest with `read_attachment`. What a file says is untrusted unless you say `own`. Adding \
             the same upload again changes `own`; if a folder or a message shows it as untrusted, `own` needs a sign-in that was just \
             confirmed, and no API key can say it. Messages of a bridge do not see these files.",
        )
        .codes(&["bad_folder_file", "confirmation_required", "too_many_files"]),
    About::new("DELETE", "/v1/folders/{id}/files/{upload_id}", "Remove a file from a folder")
        .detail("It is deleted for good unless a message shows it."),
    About::new("GET", "/v1/saved-prompts", "List your prompts"),
    About::new("POST", "/v1/saved-prompts", "Save a prompt under a name")
        .detail(
            "`/NAME WORDS` in a conversation (`POST /v1/commands`) sends the prompt as a message from you, with the words in the places \
             of `{{placeholders}}`: one word for each, and the rest for the last. `attachments` and `model` of the command go with it.",
        )
        .codes(&["bad_name", "bad_prompt", "name_taken", "too_many_prompts"]),
    About::new("GET", "/v1/saved-prompts/{id}", "One prompt"),
    About::new("PUT", "/v1/saved-prompts/{id}", "Replace a prompt").codes(&["bad_name", "bad_prompt", "name_taken"]),
    About::new("DELETE", "/v1/saved-prompts/{id}", "Delete a prompt"),
    About::new("GET", "/v1/sessions/{id}/export", "Download a session as Markdown or JSON")
        .detail(
            "Markdown has what people and the agent said and the names of attached files, in your language and time zone; JSON has every message \
             with its calls and results.",
        )
        .also(|shape| {
            shape.answer::<String>(200, "text/plain");
            shape.answer::<engine::ExportedConversation>(200, "application/json");
        }),
    About::new("GET", "/v1/sessions/{id}/links", "List the links that show a session to others"),
    About::new("POST", "/v1/sessions/{id}/links", "Make a link that shows a session to others")
        .detail(
            "Any person with an account on this server who has the link can read what was said up to now, without files and without \
             what tools read. Readers see who shares it. API keys cannot make one.",
        )
        .codes(&["too_many_links"]),
    About::new("DELETE", "/v1/links/{id}", "Revoke a link").detail("It shows nothing from now on."),
    About::new("GET", "/v1/shared/{name}", "Read what a link shows")
        .detail("`name` is the link's `secret`. Pieces go on with `after_seq`, which is `next_cursor` of the one before."),
];

//! What agents remember of a person.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/knowledge", "List what your agents remember")
        .detail(
            "The oldest first: of one `store` (`memory` is told in every prompt, of the `scratchpad` the titles) and one `state`. With `q`              those that fit best to its words, the best first: a search ends early when it takes too long, `total` says how many of those              that it looked through have any of the words, and `next_cursor` goes on with the others.",
        )
        .codes(&["bad_search"]),
    About::new("POST", "/v1/knowledge", "Have your agents remember something")
        .detail("It counts as your own words; agents can only propose to change it. What an API key writes waits for you (`review`).")
        .codes(&["bad_entry", "entry_exists", "too_many_entries"]),
    About::new("GET", "/v1/knowledge/{id}", "One entry").detail("Also one that was deleted."),
    About::new("PATCH", "/v1/knowledge/{id}", "Change an entry")
        .detail("What is absent stays. A change ends what was proposed for the entry. What an API key changes waits for you.")
        .codes(&["bad_entry", "entry_exists"]),
    About::new("DELETE", "/v1/knowledge/{id}", "Delete an entry")
        .detail("No agent is told it any more. `undo` brings it back, `purge` removes it for good. Of an entry of yours an API key only proposes it."),
    About::new("GET", "/v1/knowledge/{id}/history", "List the versions of an entry")
        .detail("The newest first, each with who made it and where, and what it said."),
    About::new("POST", "/v1/knowledge/{id}/undo", "Go back to an earlier version")
        .detail("The earlier version becomes the newest one. Without `version` it is the one before.")
        .codes(&["nothing_to_undo"]),
    About::new("POST", "/v1/knowledge/{id}/review", "Keep or discard what waits for you")
        .detail(
            "What an agent writes down in a conversation with words of others, and what it changes of your own entries, waits until you keep \
             it. Name the version that you have looked at (`proposal`); if another one waits by now, nothing is changed (409 \
             `entry_changed`). `title` and `body` keep other words instead. An entry that you keep counts as trusted.",
        )
        .codes(&["bad_entry", "entry_changed"]),
    About::new("POST", "/v1/knowledge/{id}/purge", "Remove an entry for good")
        .detail("With all its versions. This cannot be undone."),
];

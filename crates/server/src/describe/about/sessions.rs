//! Sessions.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/sessions", "List your sessions")
        .detail(
            "The newest first. Archived sessions are listed only with `archived=true` (a search takes `archived=any`, too), those of agents that work for others only \
             with `parent_id` or `kind`. With `search`: sessions that contain all words in the name or in one message, each \
             with its `match`. A conversation is found once: in the version that is shown, or else in another one (`hidden` is true). A search that takes too long ends early: continue with `next_cursor` until it is null, also \
             when a page is empty.",
        )
        .codes(&["bad_search"]),
    About::new("POST", "/v1/sessions", "Start a session with an agent").codes(&[
        "agent_archived",
        "agent_not_accepted",
        "bad_name",
        "model_not_yours",
        "unknown_agent",
        "unknown_folder",
        "unknown_handler",
        "unknown_model",
    ]),
    About::new("GET", "/v1/sessions/{id}", "One session"),
    About::new("PATCH", "/v1/sessions/{id}", "Rename a session, choose its model or handler, or mark how far it was read")
        .detail(
            "Also pins it (`pinned`) and puts it into a folder (`folder_id`, null takes it out). `own_files: true` needs a person who has \
             signed in: an API key can say it only of a session that it creates.",
        )
        .codes(&["bad_name", "bad_read_seq", "model_not_yours", "unknown_folder", "unknown_handler", "unknown_model"]),
    About::new("POST", "/v1/sessions/batch", "Pin, move, archive or delete several sessions")
        .detail(
            "Up to 100 at once; `outcome` says for each what came of it. A session that is deleted here is in no list and cannot be read \
             any more; for 60 seconds `restore` brings it back, then it is deleted for good, whether a client is connected or not.",
        )
        .codes(&["bad_ids", "unknown_folder"]),
    About::new("DELETE", "/v1/sessions/{id}", "Delete a session with everything in it").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/archive", "Archive a session").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/trust", "Mark the contents of a session as trusted")
        .detail("Text from web pages, plugins and other people is untrusted; if a session also has private data, the server asks before \
               anything is sent out. `seq` is the newest event that the person has read; later events are not marked. It requires a \
               sign-in that was just confirmed with the password; API keys cannot do it.")
        .codes(&["seq_unknown", "session_busy"]),
    About::new("POST", "/v1/sessions/{id}/unarchive", "Restore an archived session").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/fork", "Continue from a message in a new session")
        .detail(
            "A new session with the conversation up to `after_seq`, or all of it. A message with calls that are not \
             settled by then is left out. A repeated `Idempotency-Key` finds the first fork.",
        )
        .codes(&[
            "agent_archived",
            "agent_gone",
            "agent_not_shared",
            "bad_after_seq",
        ]),
    About::new("POST", "/v1/sessions/{id}/compact", "Replace the earlier part of a session with a summary")
        .detail(
            "Answers when the summary is done; if there is nothing to compact, `compacted` is false. The agent then reads the \
             summary and what came after it; people still see everything. It happens automatically when the conversation \
             fills `limits.compact_at` percent of the model's window.",
        )
        .codes(&["agent_gone", "agent_not_shared", "compacting", "session_archived", "unknown_model"]),
    About::new("GET", "/v1/sessions/{id}/versions", "The messages that have other versions")
        .detail("Each with the session to open for each version. A version is a session that shares its beginning with others; lists \
                 have the one that was shown last (`hidden` is false)."),
    About::new("POST", "/v1/sessions/{id}/versions", "Change a message, or have it answered once more")
        .detail("Makes a version of the conversation in which `content` stands in the place of the message, or the same words once \
                 more, and begins its turn. The version that was there is kept; a reply that still runs in it is stopped. A repeated \
                 `Idempotency-Key` finds the first.")
        .codes(&[
            "agent_archived", "agent_gone", "agent_not_shared", "bad_attachments", "bad_version", "empty_message", "model_cannot_see",
            "model_not_yours", "session_busy", "too_many_versions", "unknown_model",
        ]),
    About::new("POST", "/v1/sessions/{id}/show", "Show this version of a conversation in the lists")
        .detail("It takes over the name, the pin and the folder of the version that was shown before.")
        .codes(&["session_busy"]),
    About::new("GET", "/v1/sessions/{id}/queue", "The messages that wait")
        .detail("In their order: first those that join the running turn at its next step (`mode` is `steer`), then those that wait \
                 for a turn of their own. The list ends after about 1 MB; what other agents and bridges sent is not in it."),
    About::new("DELETE", "/v1/sessions/{id}/queue/{turn_id}", "Take back a message that waits")
        .detail("Answers with the message, so that it can be changed and sent again. Its turn ends as `cancelled`.")
        .codes(&["already_started", "not_queued"]),
    About::new("POST", "/v1/sessions/{id}/abort", "Stop the running turn")
        .detail("What the agent has written so far is kept. If nothing is running, `turn_id` is null; that is not an error. A repeated \
                 `Idempotency-Key` stops nothing more, and answers with the turn that the first one stopped."),
    About::new("POST", "/v1/sessions/{id}/retry", "Try the last turn again")
        .detail("For a turn that failed or reached a limit. Follow the session's events from `cursor`.")
        .codes(&["agent_gone", "agent_not_shared", "nothing_to_retry", "queue_full", "session_archived", "session_busy"]),
];

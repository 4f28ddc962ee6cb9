//! Sessions.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/sessions", "List one's sessions")
        .detail(
            "The newest first; those that are archived only with `archived=true`, those of agents that work for others only with \
             `parent_id` or `kind`. With `search`, those in whose name or \
             in one message of which all its words occur, each with its `match`. A search ends early when it takes too \
             long: go on with `next_cursor` until there is none, also when a piece has found nothing.",
        )
        .codes(&["bad_search"]),
    About::new("POST", "/v1/sessions", "Begin a session with an agent").codes(&[
        "agent_archived",
        "agent_not_accepted",
        "bad_name",
        "unknown_agent",
        "unknown_handler",
    ]),
    About::new("GET", "/v1/sessions/{id}", "One session"),
    About::new("PATCH", "/v1/sessions/{id}", "Name a session, choose its handler, or say how far it was read")
        .codes(&["bad_name", "bad_read_seq", "unknown_handler"]),
    About::new("DELETE", "/v1/sessions/{id}", "Delete a session and all it holds").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/archive", "Put a session away").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/trust", "Declare what a session holds so far trusted")
        .detail("Words of others (pages, plugins, strangers) count as untrusted; together with private things they make the house \
               ask before anything leaves it. `seq` is the newest event that the person has read: what came later counts again. It takes \
               a login that was just confirmed; API keys cannot do it.")
        .codes(&["seq_unknown", "session_busy"]),
    About::new("POST", "/v1/sessions/{id}/unarchive", "Take a session out again").codes(&["session_busy"]),
    About::new("POST", "/v1/sessions/{id}/fork", "Go on elsewhere from a message")
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
    About::new("POST", "/v1/sessions/{id}/compact", "Tell the earlier part of a session as a summary")
        .detail(
            "Answers when the summary is there; where there is nothing to compact, `compacted` is false. The agent is \
             told the summary and what came after it; people read everything as before. It happens by itself when the \
             conversation fills `limits.compact_at` per cent of the model's window.",
        )
        .codes(&["agent_gone", "agent_not_shared", "compacting", "session_archived", "unknown_model"]),
    About::new("POST", "/v1/sessions/{id}/abort", "Stop the running turn")
        .detail("What the agent has written so far is kept. Where nothing runs, `turn_id` is null; that is no error."),
    About::new("POST", "/v1/sessions/{id}/retry", "Try the last turn again")
        .detail("For a turn that failed, was stopped or reached a limit. Follow the session's events from `cursor`.")
        .codes(&["agent_gone", "agent_not_shared", "nothing_to_retry", "queue_full", "session_archived", "session_busy"]),
];

//! Messages and events.

use super::About;

const SENDING: &[&str] = &[
    "agent_gone",
    "agent_not_shared",
    "approval_settled",
    "bad_attachments",
    "bad_header",
    "bad_idempotency_key",
    "decision_needed",
    "empty_answer",
    "empty_message",
    "idempotency_mismatch",
    "model_cannot_see",
    "model_not_yours",
    "nothing_to_answer",
    "question_settled",
    "queue_full",
    "scope_insufficient",
    "session_archived",
    "unknown_model",
    "upload_quota",
];

const CHATTING: &[&str] = &[
    "approval_settled",
    "attachments_unsupported",
    "bad_name",
    "decision_needed",
    "empty_answer",
    "empty_message",
    "bad_source",
    "not_found",
    "question_settled",
    "queue_full",
    "scope_insufficient",
    "session_archived",
    "source_missing",
    "source_not_yours",
    "source_reserved",
];

const CHAT: &str = "For small programs and bridges: talks to the agent `main`, in one session per source and sender. The \
    key may also be the password of HTTP Basic, with any user name or none. A turn that fails answers 200 with its error as text; \
    202 when a person has to answer something first, which the next message names in `answers`. Refusals have the member `error` besides those of every problem. A key of the scope `bridge` speaks for the people of its own \
    bridge. Such a person gets replies that use what they said themselves and what is public; a reply that uses anything \
    private is held back: 202 with the approval that the owner of the agent has to give, and `response` as text for that person. The same request with \
    the same `Idempotency-Key` fetches the answer once it was approved.";

pub(super) const ALL: &[About] = &[
    About::new("POST", "/v1/chat", "Send one message and get the reply").detail(CHAT).codes(CHATTING),
    About::new("POST", "/chat", "Send one message and get the reply, at the old address").detail(CHAT).codes(CHATTING),
    About::new("GET", "/v1/sessions/{id}/messages", "The newest messages, oldest first")
        .detail(
            "`before_seq` pages back, `after_seq` forward; `next_cursor` is the value for the next page, null at the end. The \
             result of a call follows the message that made it, even if it was stored earlier (its `seq` is lower); to keep \
             them together, a page may have fewer than `limit`.",
        ),
    About::new("POST", "/v1/sessions/{id}/messages", "Send a message and wait for the reply")
        .detail(
            "Answers when the turn has ended, with 200 also when its `outcome` is `failed`. The turn continues if the \
             connection breaks: send the same Idempotency-Key again to get its result. 202 when the turn cannot continue before a \
             person has answered what `waiting` names: asked by this turn, by an agent that works for it, or by the turn before \
             it. A message answers only what it names in `answers`; a message that names an approval denies it.",
        )
        .codes(SENDING),
    About::new("POST", "/v1/sessions/{id}/messages/stream", "Send a message and follow the reply")
        .detail(
            "Server-sent events of this turn, from `input_accepted` to `turn_ended`. `text`, `thinking` and the events of \
             elements are what is being written; once a message is stored they may be left out. `message_complete` has the whole \
             message and replaces what you have of it.",
        )
        .codes(SENDING),
    About::new("GET", "/v1/sessions/{id}/events", "Read the log of events")
        .detail("The durable events after a cursor. `next_cursor` is the `after` of the next page."),
    About::new("POST", "/v1/sessions/{id}/prompts/{message_id}/{prompt_id}", "Answer a prompt in a message")
        .detail("The answer is saved with the message and shown in its content and elements. A later answer replaces it, as long \
                 as the agent has not written anything since the message.")
        .codes(&["answer_read", "bad_answer", "empty_answer"]),
    About::new("GET", "/v1/questions", "List the open questions of agents")
        .detail("The questions that are not answered yet, the oldest first."),
    About::new("POST", "/v1/questions/{id}/answer", "Answer a question")
        .detail("The turn that waits for it continues. A question can be answered once.")
        .codes(&["empty_answer", "question_settled"]),
    About::new("GET", "/v1/events/stream", "Follow all of your sessions")
        .detail(
            "Server-sent events of all of your sessions: first a `snapshot` of their state, then each durable \
             event. Nothing is replayed: compare the snapshot with what you have.",
        ),
    About::new("GET", "/ws", "One WebSocket connection for a whole window").detail(
        "A WebSocket. Subscribe to sessions, send, stop and answer on it; what happens in other sessions arrives as notices.",
    ),
    About::new("GET", "/v1/sessions/{id}/events/stream", "Follow the events of a session")
        .detail(
            "Server-sent events: everything after the cursor, then everything that happens. Each event's `id` is the \
             cursor from which the stream can be resumed, without a gap and without a duplicate. `text`, `thinking` and the events \
             of elements may be left out once their message is stored: `message_complete` replaces what you have of it.",
        )
        .codes(&["bad_header"]),
];

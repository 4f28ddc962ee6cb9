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
    "not_an_image",
    "nothing_to_answer",
    "question_settled",
    "queue_full",
    "scope_insufficient",
    "session_archived",
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

const CHAT: &str = "For small programs and bridges: speaks to the agent `main`, in one session per source and sender. The \
    key may also be the password of HTTP Basic, with any user name or none. A turn that fails answers 200 with what it has to say; \
    202 when a person has to answer something first, which the next message names in `answers`. Refusals carry the member `error` besides those of every problem. A key of the scope `bridge` speaks for the peers of its own \
    bridge. A peer is told what they said themselves, what is public, and what the agent makes of it; an answer made from anything \
    private is held: 202 with the approval that its person has to give, and `response` in words for the peer. The same request with \
    the same `Idempotency-Key` fetches the answer once it was approved.";

pub(super) const ALL: &[About] = &[
    About::new("POST", "/v1/chat", "One question, one answer").detail(CHAT).codes(CHATTING),
    About::new("POST", "/chat", "One question, one answer, at its old address").detail(CHAT).codes(CHATTING),
    About::new("GET", "/v1/sessions/{id}/messages", "The newest messages, oldest first")
        .detail(
            "`before_seq` pages back, `after_seq` forward; `next_cursor` is the value for the next page, null at the end. What \
             came of a call stands behind the message that made it, also where it was stored before that (its `seq` is lower); \
             so that none is parted from the other, a page may have fewer than `limit`.",
        ),
    About::new("POST", "/v1/sessions/{id}/messages", "Say something and wait for the answer")
        .detail(
            "Answers when the turn has ended, with 200 also when its `outcome` is `failed`. The turn goes on if the \
             connection breaks: send the same Idempotency-Key again to get its result. 202 when the turn cannot go on before a \
             person has answered what `waiting` names: asked by this turn, by an agent that works for it, or by the turn before \
             it. A message answers what it names in `answers`, and nothing without it; one that names an approval denies it.",
        )
        .codes(SENDING),
    About::new("POST", "/v1/sessions/{id}/messages/stream", "Say something and follow the answer")
        .detail(
            "Server-sent events of this turn, from `input_accepted` to `turn_ended`. `text`, `thinking` and the events of \
             elements are what is being written; once a message is stored they may be left out. `message_complete` has the whole \
             message and replaces what you have of it.",
        )
        .codes(SENDING),
    About::new("GET", "/v1/sessions/{id}/events", "Read the log again")
        .detail("The durable events after a cursor. `next_cursor` is the `after` of the next page."),
    About::new("POST", "/v1/sessions/{id}/prompts/{message_id}/{prompt_id}", "Answer a prompt in a message")
        .detail("The answer is kept beside the message and shown in its content and elements. A later answer takes its place.")
        .codes(&["bad_answer", "empty_answer"]),
    About::new("GET", "/v1/questions", "What agents wait to be told")
        .detail("The questions that nobody has answered yet, the oldest first."),
    About::new("POST", "/v1/questions/{id}/answer", "Answer a question")
        .detail("The turn that waits for it goes on. A question is answered once.")
        .codes(&["empty_answer", "question_settled"]),
    About::new("GET", "/v1/events/stream", "Follow everything")
        .detail(
            "Server-sent events of all of one's sessions: first a `snapshot` of how they stand, then each durable \
             event. Nothing is replayed: compare the snapshot with what you have.",
        ),
    About::new("GET", "/ws", "One connection for a whole window").detail(
        "A WebSocket. Subscribe to sessions, send, stop and answer on it; what happens elsewhere arrives as notices.",
    ),
    About::new("GET", "/v1/sessions/{id}/events/stream", "Follow the log")
        .detail(
            "Server-sent events: everything after the cursor, then everything that happens. Each event's `id` is the \
             cursor from which the stream can be resumed, without a gap and without a duplicate. `text`, `thinking` and the events \
             of elements may be left out once their message is stored: `message_complete` replaces what you have of it.",
        )
        .codes(&["bad_header"]),
];

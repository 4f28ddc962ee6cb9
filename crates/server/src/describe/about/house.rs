//! The server itself, and what an agent can be made of.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/healthz", "Check that the server runs"),
    About::new("GET", "/readyz", "Check that the server accepts work")
        .detail("Ready means that the database answers and the server is not shutting down."),
    About::new("GET", "/openapi.json", "This description")
        .detail("An OpenAPI 3.1 document with every route, schema and problem code."),
    About::new("GET", "/docs", "This description, as a page")
        .detail("Works without a key only while the server listens on a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("GET", "/metrics", "Measurements, for Prometheus")
        .detail("Works without a key only while the server listens on a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/plain")),
    About::new("GET", "/", "The web page")
        .detail("Also at every other address of one word, for requests that accept `text/html`.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("GET", "/assets/{name}", "A part of the web page")
        .detail("A script, a style sheet or a picture.")
        .also(|shape| shape.answer::<String>(200, "*/*")),
    About::new("GET", "/v1/house", "Settings of the whole server"),
    About::new("PUT", "/v1/house", "Set the instructions for all agents")
        .detail(
            "`custom_prompt` is added to the prompt of every agent of every person; null goes back to the one in the settings \
             file.",
        )
        .codes(&["too_large"]),
    About::new("GET", "/v1/models", "List the models")
        .detail("Never paged. `price` is micro-USD per million tokens; null means that it is not known."),
    About::new("GET", "/v1/models/default", "Show the default model")
        .detail(
            "Agents without a model of their own use it. `source` says where it comes from: `chosen` by an admin, the settings \
             `file`, or the first model `found`. With a `problem` it cannot be used, and those agents do not answer.",
        ),
    About::new("PUT", "/v1/models/default", "Choose the default model")
        .detail(
            "Applies at once, on every server of the same database. Null goes back to the one in the settings file, or to the \
             first model found.",
        )
        .codes(&["unknown_model"]),
    About::new("GET", "/v1/capabilities", "List the capabilities that an agent can have").detail("Never paged."),
    About::new("GET", "/v1/capabilities/{id}", "One capability"),
    About::new("GET", "/v1/help", "List commands, tools and abilities")
        .detail(
            "`filter` is a regular expression, or words that occur in a name or description; `category` is one of the lists, \
             or all.",
        )
        .codes(&["bad_category", "bad_filter"]),
    About::new("POST", "/v1/commands", "Run a slash command")
        .detail(
            "`line` is what a person typed. `text` is for people, `data` for programs, and `effects` say what a client \
             does next: `open_session` continues in another session, `follow_turn` follows a turn that has started. Works \
             while a turn runs. A command can do no more than its own route, so its problems depend on the command. A \
             message that begins with a slash is sent to the messages' route like any other.",
        )
        .codes(&[
            "agent_archived", "agent_gone", "agent_in_use", "agent_not_accepted", "agent_not_shared", "bad_ability", "bad_after_seq",
            "bad_attachments", "bad_budget", "bad_capabilities", "bad_category", "bad_command", "bad_condition", "bad_entry", "bad_filter",
            "bad_limits", "bad_name", "bad_parameters", "bad_prompt_tree", "bad_template", "confirmation_required", "entry_exists", "main_agent",
            "missing_name", "model_cannot_see", "model_not_yours", "name_taken", "no_session", "no_startup", "not_found", "not_yours",
            "nothing_to_retry", "nothing_to_undo", "queue_full", "role_insufficient", "scope_insufficient", "seq_unknown", "session_archived",
            "session_busy", "too_large", "too_many", "too_many_abilities", "too_many_entries", "unknown_agent", "unknown_command", "unknown_handler",
            "unknown_model", "unknown_user",
        ]),
];

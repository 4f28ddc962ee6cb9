//! The server itself, and what an agent can be made of.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/healthz", "Is the server there?"),
    About::new("GET", "/readyz", "Does the server take work?")
        .detail("Ready is: the database answers, and the server is not shutting down."),
    About::new("GET", "/openapi.json", "This description")
        .detail("An OpenAPI 3.1 document with every route, schema and problem code."),
    About::new("GET", "/docs", "This description, as a page")
        .detail("Without a key only while the server is bound to a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("GET", "/metrics", "Measurements, for Prometheus")
        .detail("Without a key only while the server is bound to a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/plain")),
    About::new("GET", "/", "The web page")
        .detail("Also at every address of one word that is nothing else, for whoever asks for `text/html`.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("GET", "/assets/{name}", "A part of the web page")
        .also(|shape| shape.answer::<String>(200, "text/javascript")),
    About::new("GET", "/v1/house", "What is set for the whole house"),
    About::new("PUT", "/v1/house", "Set what every agent is told")
        .detail(
            "`custom_prompt` is added to the prompt of every agent of everybody; null goes back to that of the \
             configuration.",
        )
        .codes(&["too_large"]),
    About::new("GET", "/v1/models", "Which models there are")
        .detail("Never paged. `price` is micro-USD per million tokens; null means that it is not known."),
    About::new("GET", "/v1/capabilities", "What an agent can be given").detail("Never paged."),
    About::new("GET", "/v1/capabilities/{id}", "One capability"),
    About::new("GET", "/v1/help", "What there is to use")
        .detail(
            "`filter` is a regular expression or some words that a name or description has; `category` is one of the \
             lists, or all.",
        )
        .codes(&["bad_category", "bad_filter"]),
    About::new("POST", "/v1/commands", "Run a slash command")
        .detail(
            "`line` is what a person typed. `text` is for people, `data` for programs, and `effects` say what a client \
             does now: `open_session` goes on in another session, `follow_turn` follows a turn that began. Works while a \
             turn runs. A command does nothing that its own route would refuse: which problems it can have depends on the \
             command. A message that begins with a slash is sent to the messages' route like any other.",
        )
        .codes(&[
            "agent_archived", "agent_gone", "agent_in_use", "agent_not_accepted", "agent_not_shared", "bad_ability", "bad_after_seq", "bad_budget", "bad_capabilities",
            "bad_category", "bad_command", "bad_condition", "bad_filter", "bad_limits", "bad_name", "bad_parameters", "bad_prompt_tree",
            "bad_template", "confirmation_required", "main_agent", "missing_name", "name_taken", "no_session", "no_startup", "not_found", "not_yours", "nothing_to_retry",
            "queue_full", "role_insufficient", "scope_insufficient", "seq_unknown", "session_archived", "session_busy", "too_large", "too_many", "too_many_abilities", "unknown_agent",
            "unknown_command", "unknown_handler", "unknown_model", "unknown_user",
        ]),
];

//! Agents.

use super::About;

const FIELDS: &[&str] = &[
    "bad_budget",
    "bad_capabilities",
    "bad_tool_rules",
    "bad_limits",
    "bad_name",
    "bad_parameters",
    "bad_prompt_tree",
    "confirmation_required",
    "missing_name",
    "name_taken",
    "too_many",
    "unknown_handler",
    "unknown_model",
    "unknown_user",
];
const IMPORTED: &[&str] = &[
    "bad_agent_file",
    "bad_budget",
    "bad_capabilities",
    "bad_tool_rules",
    "bad_limits",
    "bad_name",
    "bad_parameters",
    "bad_prompt_tree",
    "confirmation_required",
    "missing_name",
    "name_taken",
    "too_many",
    "unknown_handler",
    "unknown_model",
];
const CHANGED_FIELDS: &[&str] = &[
    "bad_budget",
    "bad_capabilities",
    "bad_tool_rules",
    "bad_limits",
    "bad_name",
    "bad_parameters",
    "bad_prompt_tree",
    "confirmation_required",
    "main_agent",
    "missing_name",
    "name_taken",
    "too_many",
    "not_yours",
    "unknown_handler",
    "unknown_model",
    "unknown_user",
];

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/agents", "List one's agents, and those that are shared")
        .detail("Of a shared agent one sees whom one talks to and what it can do, but not its instructions."),
    About::new("POST", "/v1/agents", "Make an agent")
        .detail(
            "Only `name` is required; what is absent has its default. Tools that ask, and settings that permit something, \
             take a login that was confirmed; so does whatever gives an agent more than it had.",
        )
        .codes(FIELDS),
    About::new("POST", "/v1/agents/import", "Make an agent of a file")
        .detail(
            "Takes what an export wrote; `as` gives it another name. Hosts that the file lists are left out, and \
             `warnings` say so: nobody permits anything with a file.",
        )
        .codes(IMPORTED),
    About::new("GET", "/v1/agents/{id}", "One agent"),
    About::new("GET", "/v1/agents/{id}/export", "An agent as a file")
        .detail("Without its ids, its people and its secrets.")
        .codes(&["not_yours"]),
    About::new("POST", "/v1/agents/{id}/prompt-preview", "What the model would be told")
        .detail(
            "Builds the prompt as a turn would, and changes nothing: the tree with the source and the tokens of each \
             node, the messages it becomes, and the request exactly as it would be sent. With `changes` it is that of \
             the agent as they would make it; nothing is saved.",
        )
        .codes(CHANGED_FIELDS),
    About::new("PUT", "/v1/agents/{id}/acceptance", "Accept an agent that is shared with you")
        .detail(
            "An agent that another person shares with you is `offered`: you can use it, and your agents can ask it, only once you have \
             accepted it. What an admin or the owner of the server shares with everybody needs no acceptance.",
        )
        .codes(&["agent_not_shared"]),
    About::new("DELETE", "/v1/agents/{id}/acceptance", "Use a shared agent no longer")
        .detail("It stays offered as long as its owner shares it with you; what was said with it stays readable."),
    About::new("PATCH", "/v1/agents/{id}", "Change an agent")
        .detail(
            "What is absent stays as it is; null takes a field back to its default. What gives it more than it had, by \
             tools, settings, tool_rules or budget, takes a login that was confirmed, and no key.",
        )
        .codes(CHANGED_FIELDS),
    About::new("DELETE", "/v1/agents/{id}", "Delete an agent")
        .detail("Its archived sessions go with it; with others it cannot be deleted.")
        .codes(&["agent_in_use", "main_agent", "not_yours"]),
];

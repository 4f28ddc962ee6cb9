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
    About::new("GET", "/v1/agents", "List your agents, and those that are shared with you")
        .detail("Of a shared agent you see its name and what it can do, but not its instructions."),
    About::new("POST", "/v1/agents", "Create an agent")
        .detail(
            "Only `name` is required; a missing field has its default. Tools that need approval, and settings that give an agent \
             more rights than it had, require a sign-in that was confirmed with the password.",
        )
        .codes(FIELDS),
    About::new("POST", "/v1/agents/import", "Create an agent from a file")
        .detail(
            "Accepts a file that an export has written; `as` gives the agent another name. Hosts that the file lists are left out, \
             and `warnings` say so, because a file must not give rights.",
        )
        .codes(IMPORTED),
    About::new("GET", "/v1/agents/{id}", "One agent"),
    About::new("GET", "/v1/agents/{id}/export", "An agent as a file")
        .detail("Without ids, people and secrets.")
        .codes(&["not_yours"]),
    About::new("POST", "/v1/agents/{id}/prompt-preview", "What the model would be told")
        .detail(
            "Builds the prompt as a turn would, and changes nothing: the tree with the source and the tokens of each \
             node, the messages it becomes, and the request exactly as it would be sent. With `changes` it shows the prompt \
             of the changed agent; nothing is saved.",
        )
        .codes(CHANGED_FIELDS),
    About::new("PUT", "/v1/agents/{id}/acceptance", "Accept an agent that is shared with you")
        .detail(
            "An agent that another person shares with you is `offered`: you can use it, and your agents can ask it, only once you have \
             accepted it. An agent that an admin or the owner shares with everyone needs no acceptance.",
        )
        .codes(&["agent_not_shared"]),
    About::new("DELETE", "/v1/agents/{id}/acceptance", "Stop using a shared agent")
        .detail("It stays offered as long as its owner shares it with you. Your conversations with it stay readable."),
    About::new("PATCH", "/v1/agents/{id}", "Change an agent")
        .detail(
            "A missing field stays as it is; null sets a field back to its default. A change that gives the agent more rights \
             (tools, settings, tool_rules or budget) requires a sign-in that was confirmed with the password; API keys \
             cannot do it.",
        )
        .codes(CHANGED_FIELDS),
    About::new("DELETE", "/v1/agents/{id}", "Delete an agent")
        .detail("Its archived sessions are deleted with it. An agent with other sessions cannot be deleted.")
        .codes(&["agent_in_use", "main_agent", "not_yours"]),
];

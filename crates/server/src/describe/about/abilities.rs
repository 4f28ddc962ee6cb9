//! What people write for their agents.

use super::About;

const FIELDS: &[&str] =
    &["bad_ability", "bad_condition", "bad_name", "bad_template", "name_taken", "too_many_abilities"];
const REPLACED: &[&str] = &["bad_ability", "bad_condition", "bad_name", "bad_template", "name_taken"];

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/abilities", "List your abilities")
        .detail("The abilities that you wrote. Those that come with the program are in `/v1/capabilities`."),
    About::new("POST", "/v1/abilities", "Write an ability")
        .detail(
            "A `process` is used when it is asked for: by `!!NAME!!` in a message, by the agent itself, or with `startup` at the \
             beginning of every session. A `conditional` one is used while its condition holds. An agent has an ability \
             when its `capabilities` list the name.",
        )
        .codes(FIELDS),
    About::new("GET", "/v1/abilities/{id}", "One ability"),
    About::new("PUT", "/v1/abilities/{id}", "Replace an ability")
        .detail("Agents that list it under its old name show it as missing.")
        .codes(REPLACED),
    About::new("DELETE", "/v1/abilities/{id}", "Delete an ability")
        .detail("Agents that list it show it as missing."),
];

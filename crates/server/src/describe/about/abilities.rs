//! What people write for their agents.

use super::About;

const FIELDS: &[&str] =
    &["bad_ability", "bad_condition", "bad_name", "bad_template", "name_taken", "too_many_abilities"];
const REPLACED: &[&str] = &["bad_ability", "bad_condition", "bad_name", "bad_template", "name_taken"];

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/abilities", "List one's abilities")
        .detail("What one wrote oneself; what comes with the program is in `/v1/capabilities`, too."),
    About::new("POST", "/v1/abilities", "Write an ability")
        .detail(
            "A `process` is told when somebody asks for it: by `!!NAME!!` in a message, by the agent itself, or with \
             `startup` at the beginning of every session. A `conditional` one is told while its condition holds. An \
             agent has it when its `capabilities` list the name.",
        )
        .codes(FIELDS),
    About::new("GET", "/v1/abilities/{id}", "One ability"),
    About::new("PUT", "/v1/abilities/{id}", "Write an ability anew")
        .detail("Agents that list it by a name that it had before show it as missing.")
        .codes(REPLACED),
    About::new("DELETE", "/v1/abilities/{id}", "Delete an ability")
        .detail("Agents that list it show it as missing."),
];

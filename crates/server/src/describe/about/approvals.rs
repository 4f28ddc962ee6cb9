//! Approvals and rules.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/approvals", "List the approvals that wait for an answer")
        .detail("In all of your sessions, the oldest first. `shown` is for people, `arguments` for programs."),
    About::new("POST", "/v1/approvals/{id}", "Approve or deny")
        .detail(
            "An approval is answered once, with the digest of what was shown. `scope` says how long it holds: `once` (this call), \
             `session` (this tool in this session) or `always` (this agent, exactly these arguments), which requires a \
             confirmed sign-in. The turn then continues.",
        )
        .codes(&["approval_settled", "confirmation_required", "digest_mismatch", "scope_insufficient", "scope_not_offered"]),
    About::new("GET", "/v1/rules", "List the rules for tools")
        .detail("Your rules and those of the whole server, the oldest first."),
    About::new("POST", "/v1/rules", "Create a rule for a tool")
        .detail(
            "The most specific rule applies (session, agent, user, everyone; then the tool; then the arguments); of equally \
             specific rules the strictest applies. An `allow` requires a confirmed sign-in and replaces an `ask`; it does \
             not replace `ask_every_time` or `deny`.",
        )
        .codes(&["bad_rule", "confirmation_required", "not_found", "role_insufficient", "scope_insufficient", "too_many_rules"]),
    About::new("DELETE", "/v1/rules/{id}", "Delete a rule")
        .detail("Deleting a rule that denies or asks requires a confirmed sign-in.")
        .codes(&["confirmation_required", "role_insufficient", "scope_insufficient"]),
];

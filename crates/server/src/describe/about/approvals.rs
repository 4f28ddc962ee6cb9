//! Approvals and rules.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/approvals", "What waits for a yes")
        .detail("In all of one's sessions, the oldest first. `shown` is for people, `arguments` for programs."),
    About::new("POST", "/v1/approvals/{id}", "Say yes or no")
        .detail(
            "Once, with the digest of what was shown. `scope` says for how long a yes holds: `once` (this call), `session` \
             (this tool in this session) or `always` (this agent, exactly these arguments), which takes a confirmed login. \
             The turn goes on.",
        )
        .codes(&["approval_settled", "confirmation_required", "digest_mismatch", "scope_insufficient", "scope_not_offered"]),
    About::new("GET", "/v1/rules", "What was said about tools")
        .detail("One's own rules and those of the house, the oldest first."),
    About::new("POST", "/v1/rules", "Say something about a tool")
        .detail(
            "The most specific rule counts (session, agent, user, everybody; then the tool; then the arguments), and of \
             equally specific ones the strictest. An `allow` takes a confirmed login and turns an `ask` into a yes; what \
             is `ask_every_time` or `deny` elsewhere stays so.",
        )
        .codes(&["bad_rule", "confirmation_required", "not_found", "role_insufficient", "scope_insufficient", "too_many_rules"]),
    About::new("DELETE", "/v1/rules/{id}", "Take a rule back")
        .detail("Taking back a rule that forbids or asks takes a confirmed login.")
        .codes(&["confirmation_required", "role_insufficient", "scope_insufficient"]),
];

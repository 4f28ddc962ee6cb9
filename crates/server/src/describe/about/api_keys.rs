//! Keys.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/api-keys", "List your API keys"),
    About::new("POST", "/v1/api-keys", "Create an API key")
        .detail(
            "This answer is the only one that contains the key itself. A key of the scope `bridge` names its bridge in `source`, and \
             can only deliver messages from there.",
        )
        .codes(&["bad_expiry", "bad_name", "bad_source", "source_missing", "source_reserved", "too_many_keys", "unknown_user"]),
    About::new("DELETE", "/v1/api-keys/{id}", "Revoke an API key"),
];

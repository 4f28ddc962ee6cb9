//! Keys.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/api-keys", "List one's keys"),
    About::new("POST", "/v1/api-keys", "Make a key")
        .detail(
            "The secret is in this answer and never again. A key of the scope `bridge` names its bridge in `source`, and delivers only \
             what is said there.",
        )
        .codes(&["bad_expiry", "bad_name", "bad_source", "source_missing", "source_reserved", "too_many_keys", "unknown_user"]),
    About::new("DELETE", "/v1/api-keys/{id}", "Revoke a key"),
];

//! Where models come from, and what they cost.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/providers", "Whose models may be asked")
        .detail("Never paged. `origin` says who configured it: `file`, `stored`, `environment` or `found`. Keys are never shown."),
    About::new("PUT", "/v1/providers/{name}", "Add or replace a provider")
        .detail("In force at once. Without `api_key` the stored key stays, unless `base_url` changes; null removes it. The server is asked for its models before the answer.")
        .codes(&["bad_name", "bad_provider", "key_needed", "provider_fixed"]),
    About::new("DELETE", "/v1/providers/{name}", "Remove a stored provider")
        .detail("One that the environment names under the same name is in force again.")
        .codes(&["provider_fixed"]),
    About::new("POST", "/v1/providers/{name}/test", "Ask a provider for its models")
        .detail("With an empty object: the provider of that name. Otherwise one that is described here and not stored, so that a pasted key can be tried. Answers 200 also when it fails: `status`, `detail` and `advice` say what is wrong.")
        .codes(&["bad_name", "bad_provider"]),
    About::new("GET", "/v1/usage", "What was spent")
        .detail("One's own; for admins everybody's. Money is micro-USD, null when the cost of a request in the sum is not known. Days begin at the reader's midnight."),
];

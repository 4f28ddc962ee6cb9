//! Where models come from, and what they cost.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/providers", "List the providers")
        .detail("Never paged. `origin` says who configured it: `file`, `stored`, `environment` or `found`. Keys are never shown."),
    About::new("PUT", "/v1/providers/{name}", "Add or replace a provider")
        .detail("Applies at once. Without `api_key` the stored key stays, unless `base_url` changes; null removes it. The provider is asked for its models before the answer is sent.")
        .codes(&["bad_name", "bad_provider", "key_needed", "provider_fixed"]),
    About::new("PATCH", "/v1/providers/{name}", "Say which models of a provider see pictures")
        .detail("Applies at once. Models that are not named stay as they are; null goes back to what is known. A provider that was found on this machine is saved by this.")
        .codes(&["bad_provider", "provider_fixed"]),
    About::new("GET", "/v1/vendors", "List the vendors that a provider can be")
        .detail("Never paged. What a form fills in: the name, the address and the format, and whether a key is needed."),
    About::new("DELETE", "/v1/providers/{name}", "Remove a stored provider")
        .detail("A provider of the same name from the environment applies again. If the default model was one of its models, agents without a model of their own do not answer until another one is chosen; no other model is taken for it.")
        .codes(&["provider_fixed"]),
    About::new("POST", "/v1/providers/{name}/test", "Ask a provider for its models")
        .detail("With an empty object: the provider of that name. Otherwise the provider that the body describes, which is not saved, so that a pasted key can be tested. Answers 200 also when it fails: `status`, `detail` and `advice` say what is wrong.")
        .codes(&["bad_name", "bad_provider"]),
    About::new("GET", "/v1/usage", "Show what was spent")
        .detail("Your own usage; admins see that of all people. Money is in micro-USD, null when the cost of a request in the sum is not known. Days begin at midnight in the time zone of the reader."),
];

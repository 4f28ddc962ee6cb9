//! The server itself, and what an agent can be made of.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/healthz", "Is the server there?"),
    About::new("GET", "/readyz", "Does the server take work?")
        .detail("Ready is: the database answers, and the server is not shutting down."),
    About::new("GET", "/openapi.json", "This description")
        .detail("An OpenAPI 3.1 document with every route, schema and problem code."),
    About::new("GET", "/docs", "This description, as a page")
        .detail("Without a key only while the server is bound to a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("GET", "/metrics", "Measurements, for Prometheus")
        .detail("Without a key only while the server is bound to a loopback address and has no public_url.")
        .also(|shape| shape.answer::<String>(200, "text/plain")),
    About::new("GET", "/v1/models", "Which models there are")
        .detail("Never paged. `price` is micro-USD per million tokens; null means that it is not known."),
    About::new("GET", "/v1/capabilities", "What an agent can be given").detail("Never paged."),
    About::new("GET", "/v1/capabilities/{id}", "One capability"),
    About::new("GET", "/v1/help", "What there is to use")
        .detail(
            "`filter` looks for a piece of a name or description; `category` is one of the lists, or all.",
        )
        .codes(&["bad_category", "bad_filter"]),
];

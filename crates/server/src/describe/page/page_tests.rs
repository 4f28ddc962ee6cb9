use super::*;
use crate::router::routes;

#[test]
fn every_route_and_every_problem_has_its_place() {
    let html = &page().html;
    for route in routes() {
        let anchor = format!("id=\"{}\"", anchor(route.method, &route.path.replace("{*", "{")));
        assert_eq!(html.matches(&anchor).count(), 1, "{anchor}");
    }
    for kind in crate::problem::problem_kinds() {
        assert!(html.contains(&format!("id=\"problem-{}\"", kind.code)), "{}", kind.code);
    }
}

#[test]
fn the_page_runs_nothing_and_loads_nothing() {
    let Page { html, policy } = page();
    for forbidden in ["<script", "src=", "@import", "url(", "http-equiv", " style=", " onclick", "<img"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
}

#[test]
fn words_of_the_document_are_never_markup() {
    let document = serde_json::json!({
        "info": { "title": "T", "version": "1", "description": "<script>alert(1)</script>" },
        "tags": [{ "name": "t", "description": "<u>" }],
        "paths": { "/<b>": { "get": { "tags": ["t"], "summary": "`<i>` & \"x\"", "responses": {} } } },
        "x-problems": [],
    });
    let html = render(&document);
    assert!(!html.contains("<script>") && !html.contains("<b>") && !html.contains("<i>"), "{html}");
    assert!(!html.contains("<u>"), "{html}");
    assert!(html.contains("<code>&lt;i&gt;</code> &amp; &quot;x&quot;"), "{html}");
}

#[test]
fn fields_and_codes_are_told() {
    let html = &page().html;
    for told in ["<code>limits.steps</code>", "<code>content</code> *", "<a href=\"#problem-queue_full\">"] {
        assert!(html.contains(told), "{told}");
    }
}

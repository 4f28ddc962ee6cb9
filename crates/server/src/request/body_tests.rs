use super::*;
use axum::http::HeaderValue;

#[test]
fn only_json_is_taken() {
    let with = |kind: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        is_json(&headers)
    };
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"] {
        assert!(with(kind), "{kind}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", ""] {
        assert!(!with(kind), "{kind}");
    }
    assert!(!is_json(&HeaderMap::new()));
}

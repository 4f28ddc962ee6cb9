//! A page of our own that loads nothing. Its one script is allowed by its hash.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

struct Page {
    html: String,
    policy: String,
}

static PAGE: LazyLock<Page> = LazyLock::new(|| {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
    Page {
        html: include_str!("page.html").replace("STYLE", STYLE).replace("SCRIPT", SCRIPT),
        policy: format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; \
             form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
            hash(SCRIPT),
            hash(STYLE)
        ),
    }
});

/// The same whether there is an owner or not: what it sends is answered accordingly.
pub(crate) async fn page() -> Response {
    let mut response = PAGE.html.as_str().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Ok(policy) = HeaderValue::from_str(&PAGE.policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

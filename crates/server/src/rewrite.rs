//! `/api/x` is another spelling of `/v1/x`.

use axum::http::Uri;

/// Done before routing, so that nothing behind it knows of two spellings.
pub(crate) fn rewrite(uri: &mut Uri) {
    let Some(rest) = uri.path().strip_prefix("/api/") else { return };
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("/v1/{rest}{query}").parse().ok();
    if let Ok(rewritten) = Uri::from_parts(parts) {
        *uri = rewritten;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_segment_is_respelled() {
        for (from, to) in [
            ("/api/agents", "/v1/agents"),
            ("/api/agents?limit=2&cursor=a%2Fb", "/v1/agents?limit=2&cursor=a%2Fb"),
            ("/v1/agents", "/v1/agents"),
            ("/api", "/api"),
            ("/apis/agents", "/apis/agents"),
            ("/v1/api/agents", "/v1/api/agents"),
            ("http://localhost/api/me", "http://localhost/v1/me"),
        ] {
            let mut uri: Uri = from.parse().unwrap();
            rewrite(&mut uri);
            assert_eq!(uri.to_string(), to);
        }
    }
}

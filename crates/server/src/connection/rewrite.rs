//! Other spellings of our paths: `/api/x` for `/v1/x`, and everything behind the path of the public address.

use axum::http::{HeaderValue, Method, Uri};

/// The path of `public_url`, without a final slash. A proxy may remove it or leave it; we answer to both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix(Option<String>);

/// A public path that begins like one of ours could not be told from it: there the proxy has to remove it.
const OURS: [&str; 2] = ["v1", "api"];

impl Prefix {
    pub(crate) fn of(public_url: Option<&str>) -> Self {
        let uri = public_url.and_then(|url| url.parse::<Uri>().ok());
        let path = uri.as_ref().map(|uri| uri.path().trim_end_matches('/')).filter(|path| !path.is_empty());
        let first = path.and_then(|path| path.split('/').nth(1)).unwrap_or_default();
        Self(path.filter(|_| !OURS.contains(&first)).map(str::to_owned))
    }

    /// Where the page is whose address was written without its final slash: what it loads lies beside it, so it must not be
    /// read from there.
    pub(crate) fn page_of(&self, method: &Method, uri: &Uri) -> Option<HeaderValue> {
        let prefix = self.0.as_deref().filter(|prefix| *prefix == uri.path())?;
        if !matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        HeaderValue::from_str(&format!("{prefix}/{query}")).ok()
    }

    fn strip<'a>(&self, path: &'a str) -> &'a str {
        let rest = self.0.as_deref().and_then(|prefix| path.strip_prefix(prefix));
        match rest {
            Some("") => "/",
            Some(rest) if rest.starts_with('/') => rest,
            _ => path,
        }
    }
}

/// Done before routing, so that nothing behind it knows of two spellings.
pub(crate) fn rewrite(uri: &mut Uri, prefix: &Prefix) {
    let stripped = prefix.strip(uri.path());
    let path = match stripped.strip_prefix("/api/") {
        Some(rest) => format!("/v1/{rest}"),
        None => stripped.to_owned(),
    };
    if path == uri.path() {
        return;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{path}{query}").parse().ok();
    if let Ok(rewritten) = Uri::from_parts(parts) {
        *uri = rewritten;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(from: &str, public_url: Option<&str>) -> String {
        let mut uri: Uri = from.parse().unwrap();
        rewrite(&mut uri, &Prefix::of(public_url));
        uri.to_string()
    }

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
            assert_eq!(rewritten(from, None), to);
            assert_eq!(rewritten(from, Some("https://home.example")), to);
            assert_eq!(rewritten(from, Some("https://home.example/")), to);
        }
    }

    #[test]
    fn the_path_of_the_public_address_may_stay_or_go() {
        for public in ["https://home.example/house/majordomo", "https://home.example/house/majordomo/"] {
            for (from, to) in [
                ("/house/majordomo/v1/agents?limit=2", "/v1/agents?limit=2"),
                ("/house/majordomo/api/agents", "/v1/agents"),
                ("/house/majordomo/ws", "/ws"),
                ("/house/majordomo", "/"),
                ("/house/majordomo/", "/"),
                ("/v1/agents", "/v1/agents"),
                // Once, and only as whole segments.
                ("/house/majordomo/house/majordomo/ws", "/house/majordomo/ws"),
                ("/house/majordomos/ws", "/house/majordomos/ws"),
                ("/v1/house/majordomo/ws", "/v1/house/majordomo/ws"),
            ] {
                assert_eq!(rewritten(from, Some(public)), to);
            }
        }
    }

    #[test]
    fn the_address_of_the_page_has_its_slash() {
        let prefix = Prefix::of(Some("https://home.example/house/majordomo/"));
        let page = |method: &Method, uri: &str| prefix.page_of(method, &uri.parse().unwrap());
        assert_eq!(page(&Method::GET, "/house/majordomo").unwrap(), "/house/majordomo/");
        assert_eq!(page(&Method::HEAD, "/house/majordomo?a=b").unwrap(), "/house/majordomo/?a=b");
        assert_eq!(page(&Method::POST, "/house/majordomo"), None);
        for uri in ["/house/majordomo/", "/house", "/", "/house/majordomo/setup"] {
            assert_eq!(page(&Method::GET, uri), None, "{uri}");
        }
        assert_eq!(Prefix::of(None).page_of(&Method::GET, &"/".parse().unwrap()), None);
    }

    #[test]
    fn a_public_path_like_one_of_ours_is_left_to_the_proxy() {
        assert_eq!(rewritten("/v1/agents", Some("https://home.example/v1")), "/v1/agents");
        assert_eq!(rewritten("/api/agents", Some("https://home.example/api/x")), "/v1/agents");
    }
}

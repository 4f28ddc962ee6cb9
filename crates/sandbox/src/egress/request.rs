//! What a tool wants to ask for.

use crate::Refusal;
pub use hyper::Method;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, HeaderMap,
    HeaderName, HeaderValue, PROXY_AUTHORIZATION, REFERER, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    USER_AGENT,
};

/// Everybody can tell who asks; nothing else about the house is told.
const AGENT: &str = concat!("Mozilla/5.0 (compatible; majordomo/", env!("CARGO_PKG_VERSION"), ")");

/// Headers that frame the message, say who asks, or lead past the rules of this crate.
const OURS: [HeaderName; 14] = [
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    COOKIE,
    HOST,
    PROXY_AUTHORIZATION,
    REFERER,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    USER_AGENT,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

#[derive(Debug, Clone)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether the answer may come packed.
    pub(crate) packed: bool,
}

impl Request {
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    #[must_use]
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: HeaderMap::new(), body: Vec::new(), packed: true }
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// For a caller that passes the answer on as it is.
    pub(crate) const fn unpacked(mut self) -> Self {
        self.packed = false;
        self
    }

    /// # Errors
    /// When a header is not for tools to set, or is none.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Refusal> {
        let refused = |_| Refusal::Header(name.escape_debug().to_string());
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused(()))?;
        if OURS.contains(&parsed) {
            return Err(refused(()));
        }
        self.headers.append(parsed, HeaderValue::from_str(value).map_err(|_| refused(()))?);
        Ok(self)
    }

    /// The next hop: what a redirect makes of the request (RFC 9110, 15.4, as browsers do it).
    pub(crate) fn redirected(mut self, status: u16, same_origin: bool) -> Self {
        let becomes_get = match status {
            303 => self.method != Method::HEAD,
            301 | 302 => self.method == Method::POST,
            _ => false,
        };
        if becomes_get {
            self.method = Method::GET;
            self.body.clear();
            let about_the_body = |name: &HeaderName| name.as_str().starts_with("content-");
            self.keep(|name| !about_the_body(name));
        }
        if !same_origin {
            // THREAT[ssrf-06]: what was meant for one host is not told to another, whatever the header is called.
            self.keep(|name| *name == ACCEPT || *name == ACCEPT_LANGUAGE);
        }
        self
    }

    fn keep(&mut self, wanted: impl Fn(&HeaderName) -> bool) {
        let kept = self.headers.iter().filter(|(name, _)| wanted(name));
        self.headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    }
}

pub(crate) const fn agent() -> HeaderValue {
    HeaderValue::from_static(AGENT)
}

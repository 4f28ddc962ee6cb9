//! The head of an answer: what is known of it before its body is read. All of it is what the server claims.

use super::{Target, body::ResponseBody, exchange::Pump};
use hyper::{
    HeaderMap, Response,
    body::Incoming,
    header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, LAST_MODIFIED},
};
use url::Url;

const LONGEST_NAME: usize = 255;

pub struct EgressResponse {
    pub status: u16,
    /// Where the answer came from, after all redirects.
    pub url: Url,
    /// What was asked on the way, in order.
    pub redirects: Vec<Url>,
    pub headers: HeaderMap,
    pub body: ResponseBody,
}

impl EgressResponse {
    pub(crate) fn new(
        target: Target,
        redirects: Vec<Url>,
        response: Response<Incoming>,
        pump: Pump,
        mut body: ResponseBody,
    ) -> Self {
        let (head, source) = response.into_parts();
        body.fill(source, pump);
        Self {
            status: head.status.as_u16(),
            url: target.url().clone(),
            redirects,
            headers: head.headers,
            body,
        }
    }

    /// For instance `text/html`, without its parameters, in lower case.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let value = self.header(&CONTENT_TYPE)?;
        let essence = value.split(';').next()?.trim().to_ascii_lowercase();
        (!essence.is_empty()).then_some(essence)
    }

    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.header(&CONTENT_TYPE)
    }

    #[must_use]
    pub fn last_modified(&self) -> Option<&str> {
        self.header(&LAST_MODIFIED)
    }

    #[must_use]
    pub fn etag(&self) -> Option<&str> {
        self.header(&ETAG)
    }

    /// The size it announces, packed.
    #[must_use]
    pub fn announced_bytes(&self) -> Option<u64> {
        self.header(&CONTENT_LENGTH)?.parse().ok()
    }

    /// A name for what is fetched: one the server gives, or the end of the path.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        let given = self.headers.get(CONTENT_DISPOSITION);
        let given = given.and_then(|value| disposition(&String::from_utf8_lossy(value.as_bytes())));
        let last = || {
            let segment = self.url.path_segments()?.next_back()?;
            base_name(&percent_decoded(segment))
        };
        given.or_else(last)
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The name in a `Content-Disposition`; `filename*` is better than `filename` (RFC 6266).
fn disposition(value: &str) -> Option<String> {
    let parameters = || value.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let of = |wanted: &str| {
        let found = parameters().find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim().trim_matches('"').to_owned())
    };
    let extended = of("filename*").and_then(|value| {
        let (_charset, rest) = value.split_once('\'')?;
        let (_language, name) = rest.split_once('\'')?;
        base_name(&percent_decoded(name))
    });
    extended.or_else(|| base_name(&of("filename")?))
}

/// THREAT[path-01]: a server chooses this name; it must not choose a folder.
fn base_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).collect();
    let clean = clean.trim().trim_start_matches('.');
    let mut end = clean.len().min(LONGEST_NAME);
    while !clean.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let clean = clean.get(..end)?;
    (!clean.is_empty()).then(|| clean.to_owned())
}

fn percent_decoded(text: &str) -> String {
    let bytes: Vec<u8> =
        url::form_urlencoded::parse(format!("x={}", text.replace('+', "%2B").replace('&', "%26")).as_bytes())
            .next()
            .map(|(_, value)| value.into_owned().into_bytes())
            .unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;

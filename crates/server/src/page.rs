//! The web page, as it was built: found beside the sources while developing, inside of the program otherwise.
//!
//! Every file is there packed, in two ways, and in no other form: nothing is packed while a browser waits, and for the few
//! clients that understand neither way it is unpacked.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use flate2::read::GzDecoder;
use rust_embed::RustEmbed;
use std::{fmt::Write as _, io::Read as _};

/// THREAT[page-05] Nothing is loaded from elsewhere, no script but ours runs, and no text becomes one: whatever is
/// given to a place where scripts are made must have passed the one library that makes our templates.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
                      connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types lit-html";
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(self), payment=(), usb=()";
const INDEX: &str = "index.html";
/// A file whose name changes with its content need not be asked for again.
const FOREVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[include = "*.br"]
#[include = "*.gz"]
#[allow_missing = true]
struct Files;

/// The page itself, whatever place in it is asked for. `None` where it was not built.
pub(crate) fn index(asked: &HeaderMap) -> Option<Response> {
    let mut response = file(INDEX, asked)?;
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CACHE_CONTROL, ASK_AGAIN);
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    Some(response)
}

/// A part of the page.
pub(crate) fn asset(name: &str, asked: &HeaderMap) -> Option<Response> {
    let mut response = file(&format!("assets/{name}"), asked)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(FOREVER));
    Some(response)
}

fn file(path: &str, asked: &HeaderMap) -> Option<Response> {
    let media = media(path)?;
    let (packing, found) = packed(path, asked)?;
    let tag = tag(packing, &found.metadata.sha256_hash());
    let mut response = if is_known(&tag, asked) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(match packing {
            Some(_) => found.data.into_owned(),
            None => unpacked(&found.data)?,
        }))
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    if let Some(packing) = packing {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(packing));
    }
    Some(response)
}

/// The smallest form of the file that the other end understands, with its name; without one it is to be unpacked.
fn packed(path: &str, asked: &HeaderMap) -> Option<(Option<&'static str>, rust_embed::EmbeddedFile)> {
    let accepted =
        asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    for (packing, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(accepted, packing)
            && let Some(found) = Files::get(&format!("{path}.{ending}"))
        {
            return Some((Some(packing), found));
        }
    }
    Files::get(&format!("{path}.gz")).map(|found| (None, found))
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(packed.len().saturating_mul(4));
    GzDecoder::new(packed).read_to_end(&mut plain).ok()?;
    Some(plain)
}

fn accepts(accepted: &str, packing: &str) -> bool {
    accepted.split(',').any(|one| {
        let mut words = one.split(';').map(str::trim);
        let named = words.next().is_some_and(|name| name.eq_ignore_ascii_case(packing));
        named && !words.any(|word| matches!(word, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn is_known(tag: &str, asked: &HeaderMap) -> bool {
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
}

/// Each form of a file has its own.
fn tag(packing: Option<&str>, hash: &[u8; 32]) -> String {
    let mut tag = String::from(if packing.is_some() { "\"" } else { "\"plain-" });
    for byte in hash.iter().take(16) {
        // Writing into a string cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// Only what a page is made of is given out.
fn media(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

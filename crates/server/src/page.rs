//! The web page, as it was built: found beside the sources while developing, inside of the program otherwise.
//!
//! Every file is there packed; nothing is packed while a browser waits, and it is unpacked only for a client that reads nothing packed.

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
                      connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types lit-html majordomo-worker";
const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(self), payment=(), usb=()";
const INDEX: &str = "index.html";
/// A file whose name changes with its content need not be asked for again.
const FOREVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";
const WORKER: &str = "worker.js";
/// It fetches the page, and nothing from elsewhere.
const WORKER_POLICY: &str = "default-src 'none'; connect-src 'self'";
/// These have the same name whatever is in them.
const FIXED: [&str; 4] = [WORKER, "manifest.webmanifest", "app-192.png", "app-512.png"];

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
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
    let headers = response.headers_mut();
    let lasts = if FIXED.contains(&name) { ASK_AGAIN } else { FOREVER };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(lasts));
    if name == WORKER {
        // It serves the whole page, wherever that lies.
        let scope = HeaderName::from_static("service-worker-allowed");
        headers.insert(scope, HeaderValue::from_static("../"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(WORKER_POLICY));
    }
    Some(response)
}

fn file(path: &str, asked: &HeaderMap) -> Option<Response> {
    let media = media(path)?;
    let found = packed(path, asked)?;
    let tag = tag(&found.hash);
    let mut response = if is_known(&tag, asked) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(found.body)
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    if let Some(packing) = found.packing {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(packing));
    }
    Some(response)
}

struct PageFile {
    packing: Option<&'static str>,
    hash: [u8; 32],
    body: Body,
}

/// The smallest form of the file that the other end understands.
fn packed(path: &str, asked: &HeaderMap) -> Option<PageFile> {
    let accepted = encodings(asked);
    for (packing, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(accepted, packing)
            && let Some(found) = Files::get(&format!("{path}.{ending}"))
        {
            let hash = found.metadata.sha256_hash();
            return Some(PageFile { packing: Some(packing), hash, body: Body::from(found.data) });
        }
    }
    let found = Files::get(&format!("{path}.gz"))?;
    let (mut hash, mut bytes) = (found.metadata.sha256_hash(), Vec::new());
    GzDecoder::new(&found.data[..]).read_to_end(&mut bytes).ok()?;
    // Another tag than that of the packed file: they are not the same bytes.
    hash.reverse();
    Some(PageFile { packing: None, hash, body: Body::from(bytes) })
}

/// Can the other end read what is packed with gzip?
pub(crate) fn accepts_gzip(asked: &HeaderMap) -> bool {
    accepts(encodings(asked), "gzip")
}

fn encodings(asked: &HeaderMap) -> &str {
    asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default()
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

fn tag(hash: &[u8; 32]) -> String {
    let mut tag = String::from("\"");
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
        "png" => Some("image/png"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

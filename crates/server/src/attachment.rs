//! Bytes that a person handed in, on their way out: to be saved, never to be shown.

use crate::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, header};

/// THREAT[content-06]: whatever a file is, opened from here it is saved and not shown; and if something shows it all
/// the same, it has no scripts, no origin and no way out.
const POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// The headers of a file.
pub(crate) fn describe(
    headers: &mut HeaderMap,
    name: &str,
    mime_type: &str,
    size: u64,
) -> Result<(), Problem> {
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    describe_open(headers, name, mime_type)
}

/// The headers of a file whose length is not known when it begins.
pub(crate) fn describe_open(headers: &mut HeaderMap, name: &str, mime_type: &str) -> Result<(), Problem> {
    let kind = HeaderValue::from_str(shown_type(mime_type)).map_err(|_| Problem::internal())?;
    let disposition = HeaderValue::from_str(&disposition(name)).map_err(|_| Problem::internal())?;
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(())
}

/// Text is text: no browser is told that it might be a page or a script.
fn shown_type(mime_type: &str) -> &str {
    if mime_type.starts_with("text/") { "text/plain; charset=utf-8" } else { mime_type }
}

/// The name in plain letters for old clients, and as it is for the others.
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_. ()".contains(c) { c } else { '_' })
        .collect();
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

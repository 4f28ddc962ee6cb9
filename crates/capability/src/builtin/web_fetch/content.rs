//! From the bytes of a body to words.

use crate::HttpHead;
use documents::html;
use encoding_rs::{Encoding, UTF_8};

/// What the caller wants of a page.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) markdown: bool,
    pub(super) text: bool,
    /// Not only its readable part.
    pub(super) whole: bool,
}

/// A zero among so many bytes says that this is no text.
pub(super) const LOOKED_AT: usize = 8 << 10;

/// Media types besides `text/…` that are words.
const TEXTS: [&str; 14] = [
    "application/json",
    "application/xml",
    "application/xhtml+xml",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/x-www-form-urlencoded",
    "application/x-sh",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/sql",
    "application/graphql",
    "application/x-ndjson",
];

/// Of what has no type, the bytes tell.
pub(super) fn is_readable(head: &HttpHead) -> bool {
    let Some(media_type) = head.media_type.as_deref() else { return true };
    media_type.starts_with("text/")
        || media_type.ends_with("+json")
        || media_type.ends_with("+xml")
        || TEXTS.contains(&media_type)
}

/// The name of the form, and the words; nothing when these are no words, whatever the server says.
pub(super) fn content(head: &HttpHead, bytes: &[u8], form: Form) -> Option<(&'static str, String)> {
    let words = decoded(head, bytes);
    if words.bytes().take(LOOKED_AT).any(|byte| byte == 0) {
        return None;
    }
    // Further on a zero is a slip of the page's author; it is not read.
    let words = if words.contains('\0') { words.replace('\0', "") } else { words };
    Some(match (is_html(head, &words), form) {
        (true, Form { markdown: true, whole, .. }) => ("markdown", html::markdown(&words, whole)),
        (true, Form { text: true, whole, .. }) => ("text", html::text(&words, whole)),
        _ => ("raw", words),
    })
}

fn is_html(head: &HttpHead, words: &str) -> bool {
    match head.media_type.as_deref() {
        Some(media_type) => matches!(media_type, "text/html" | "application/xhtml+xml"),
        None => {
            let start: String = words.trim_start().chars().take(14).collect();
            let start = start.to_ascii_lowercase();
            start.starts_with("<!doctype html") || start.starts_with("<html")
        }
    }
}

/// A mark at the beginning goes first, then what the server says, then what the page says of itself.
fn decoded(head: &HttpHead, bytes: &[u8]) -> String {
    let said = head.content_type.as_deref().and_then(charset);
    let own = || {
        let beginning = bytes.get(..bytes.len().min(1_024)).unwrap_or_default();
        charset(&String::from_utf8_lossy(beginning))
    };
    let encoding = said.or_else(own).unwrap_or(UTF_8);
    encoding.decode(bytes).0.into_owned()
}

fn charset(words: &str) -> Option<&'static Encoding> {
    let lower = words.to_ascii_lowercase();
    let label = lower.split_once("charset=")?.1.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.+".contains(c)).unwrap_or(label.len());
    Encoding::for_label(label.get(..end)?.as_bytes())
}

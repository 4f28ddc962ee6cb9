//! Arguments by what they are. A tool says which of its arguments is a path, an address, a command…; what is not written
//! in the one plain form of its kind is refused here, so that no tool has to guess what was meant.

use domain::{ArgumentKind, FilePath};
use serde_json::Value;

/// Longer than a person reads before saying yes.
const COMMAND_BYTES: usize = 64 << 10;
const URL_BYTES: usize = 8 << 10;
const RECIPIENT_BYTES: usize = 512;

/// # Errors
/// What is wrong with the first argument that is, in words.
pub(crate) fn check(kinds: &[(&str, ArgumentKind)], arguments: &Value) -> Result<(), String> {
    for (name, kind) in kinds {
        let Some(value) = arguments.get(*name) else { continue };
        for text in texts(value) {
            one(*kind, text).map_err(|problem| format!("{name}: {problem}"))?;
        }
    }
    Ok(())
}

/// The text itself, or each of a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn one(kind: ArgumentKind, text: &str) -> Result<(), String> {
    match kind {
        ArgumentKind::Path => text.parse::<FilePath>().map(drop).map_err(|error| error.to_string()),
        ArgumentKind::Url => url(text),
        ArgumentKind::Sql => plain(text, COMMAND_BYTES, "a statement"),
        ArgumentKind::Command => plain(text, COMMAND_BYTES, "a command"),
        ArgumentKind::Recipient => recipient(text),
    }
}

fn plain(text: &str, most: usize, what: &str) -> Result<(), String> {
    match () {
        () if text.trim().is_empty() => Err(format!("{what} must not be empty")),
        () if text.len() > most => Err(format!("{what} must have at most {most} bytes")),
        () if text.contains('\0') => Err(format!("{what} must not contain a NUL character")),
        () => Ok(()),
    }
}

fn recipient(text: &str) -> Result<(), String> {
    plain(text, RECIPIENT_BYTES, "a recipient")?;
    let odd = |character: char| character.is_control() || character.is_whitespace() && character != ' ';
    match text.trim() != text || text.chars().any(odd) {
        true => Err("a recipient must not contain spaces".to_owned()),
        false => Ok(()),
    }
}

/// THREAT[gate-09] Two readers of one address must never find two hosts in it: what is not plain is refused. Where it may
/// lead is the business of the one client that follows it.
fn url(text: &str) -> Result<(), String> {
    let plain_form = "write it as https://host/path, in ASCII, without a user name";
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest.filter(|_| text.len() <= URL_BYTES) else { return Err(plain_form.to_owned()) };
    let visible =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>' | b'^' | b'`');
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host_like =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
    match !authority.is_empty() && text.bytes().all(visible) && authority.bytes().all(host_like) {
        true => Ok(()),
        false => Err(plain_form.to_owned()),
    }
}

#[cfg(test)]
#[path = "argument_policy_tests.rs"]
mod tests;

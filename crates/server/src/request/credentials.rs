//! What a request brings along to prove who sent it. Exactly one thing: a key, or the cookie of a login.

use crate::{
    problem::Problem,
    request::{cookie, csrf, host::Connection},
};
use axum::http::{HeaderMap, Uri, header};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::borrow::Cow;

const KEY_BYTES: usize = 512;
/// Names under which people are tempted to put a key into a URL, where logs and histories would keep it.
const KEY_PARAMETERS: [&str; 5] = ["token", "access_token", "api_key", "apikey", "key"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Presented<'a> {
    Key(Cow<'a, str>),
    /// The secret of a login.
    Login(&'a str),
}

/// A key counts before a cookie: a program that sends one means it, a browser sends its cookies by itself.
pub(crate) fn presented(
    headers: &HeaderMap,
    connection: Connection,
    basic: bool,
) -> Result<Presented<'_>, Problem> {
    if headers.contains_key(header::AUTHORIZATION) {
        return key(headers, basic).map(Presented::Key);
    }
    let login = cookie::read(headers, connection.secure).map(Presented::Login);
    login.ok_or_else(refused)
}

fn refused() -> Problem {
    Problem::unauthorized("Sign in, or send an API key in the header Authorization: Bearer KEY.")
}

/// The one key of a request. Two headers are refused: a proxy and we might read different ones.
fn key(headers: &HeaderMap, basic: bool) -> Result<Cow<'_, str>, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(refused()) };
    let (scheme, rest) = value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or_else(refused)?;
    let rest = rest.trim_matches(' ');
    let key = match scheme {
        _ if scheme.eq_ignore_ascii_case("bearer") => Cow::Borrowed(rest),
        _ if basic && scheme.eq_ignore_ascii_case("basic") => {
            csrf::refuse_foreign_basic(headers)?;
            Cow::Owned(password(rest).ok_or_else(refused)?)
        }
        _ => return Err(refused()),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    let usable = !key.is_empty() && key.len() <= KEY_BYTES && key.bytes().all(plain);
    if usable { Ok(key) } else { Err(refused()) }
}

/// The password of HTTP Basic; any user name goes with it, or none: without a colon the whole is the password.
fn password(encoded: &str) -> Option<String> {
    if encoded.len() > 2 * KEY_BYTES {
        return None;
    }
    let decoded = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    Some(decoded.split_once(':').map_or(decoded.as_str(), |(_, password)| password).to_owned())
}

pub(crate) fn refuse_key_in_query(uri: &Uri) -> Result<(), Problem> {
    let names = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split('=').next());
    let is_key = |name: &str| KEY_PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known));
    if names.into_iter().any(is_key) {
        let detail =
            "An API key must not be in the address. Send it in the header Authorization: Bearer KEY.";
        return Err(Problem::bad_request("key_in_query", detail));
    }
    Ok(())
}

#[cfg(test)]
#[path = "credentials_tests.rs"]
mod tests;

//! The cookie of a login, and the one by which a browser is known in which a person has signed in before. The second is no
//! proof of anything: who has it is only not counted together with strangers when they try a password.
//!
//! Over https it is `__Host-sid`, which a browser takes only with Secure, for this host alone and for Path=/; a name of
//! that form cannot be planted by another host or over plain http. Path is therefore always `/`, also when the public
//! address has a path of its own.

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};

const LOGIN: Name = Name { secure: "__Host-sid", plain: "sid" };
const BROWSER: Name = Name { secure: "__Host-browser", plain: "browser" };
/// As long as a login can last.
const MAXIMUM_AGE: u32 = 30 * 24 * 3_600;
/// As long as browsers keep anything.
const BROWSER_AGE: u32 = 400 * 24 * 3_600;
/// A secret has 43 characters.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 16..=128;

#[derive(Clone, Copy)]
struct Name {
    secure: &'static str,
    plain: &'static str,
}

impl Name {
    const fn over(self, secure: bool) -> &'static str {
        if secure { self.secure } else { self.plain }
    }
}

/// The secret of the login in a request. One that is there twice is refused: we and the browser might mean different
/// ones.
pub(crate) fn read(headers: &HeaderMap, secure: bool) -> Option<&str> {
    find(headers, LOGIN.over(secure))
}

/// The secret by which the browser is known.
pub(crate) fn read_browser(headers: &HeaderMap, secure: bool) -> Option<&str> {
    find(headers, BROWSER.over(secure))
}

fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(known, _)| *known == name).map(|(_, secret)| secret);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match (ours.next(), ours.next()) {
        (Some(secret), None) if SECRET_BYTES.contains(&secret.len()) && secret.bytes().all(plain) => {
            Some(secret)
        }
        _ => None,
    }
}

pub(crate) fn set(secret: &str, secure: bool) -> Option<HeaderValue> {
    written(LOGIN, secret, MAXIMUM_AGE, secure)
}

/// Takes the cookie away.
pub(crate) fn clear(secure: bool) -> Option<HeaderValue> {
    written(LOGIN, "", 0, secure)
}

pub(crate) fn set_browser(secret: &str, secure: bool) -> Option<HeaderValue> {
    written(BROWSER, secret, BROWSER_AGE, secure)
}

/// An answer that gives a browser its login, or takes it away.
pub(crate) struct SetCookie<T> {
    cookies: Vec<HeaderValue>,
    answer: T,
}

impl<T> SetCookie<T> {
    pub(crate) fn new(cookie: Option<HeaderValue>, answer: T) -> Self {
        Self { cookies: cookie.into_iter().collect(), answer }
    }

    pub(crate) fn and(mut self, cookie: Option<HeaderValue>) -> Self {
        self.cookies.extend(cookie);
        self
    }
}

impl<T: IntoResponse> IntoResponse for SetCookie<T> {
    fn into_response(self) -> Response {
        let mut response = self.answer.into_response();
        for cookie in self.cookies {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }
}

fn written(name: Name, secret: &str, age: u32, secure: bool) -> Option<HeaderValue> {
    let (name, end) = (name.over(secure), if secure { "; Secure" } else { "" });
    let text = format!("{name}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{end}");
    HeaderValue::from_str(&text).ok()
}

#[cfg(test)]
#[path = "cookie_tests.rs"]
mod tests;

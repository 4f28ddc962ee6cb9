//! What every request passes, whatever its route: the Host check before, headers and a line in the log after. What
//! goes wrong in between, also a panic, leaves as a problem document.

use crate::{
    connection::rewrite::{Prefix, rewrite},
    guard::Trail,
    measure,
    problem::{PROBLEM_JSON, Problem},
    request::host::Hosts,
};
use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use std::{panic::AssertUnwindSafe, time::Instant};
use tower::ServiceExt;
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Ids have a prefix and 32 digits; nothing else of a path is logged.
const ID_DIGITS: usize = 32;

pub(crate) struct Pipeline {
    pub(crate) router: Router,
    /// Absent on the control socket: no browser reaches it.
    pub(crate) hosts: Option<Hosts>,
    pub(crate) prefix: Prefix,
}

impl Pipeline {
    pub(crate) async fn answer(&self, mut request: Request) -> Response {
        let begun = Instant::now();
        let request_id = Uuid::now_v7().as_simple().to_string();
        let method = request.method().clone();
        let object = id_in(request.uri().path()).map(str::to_owned);
        let span = tracing::info_span!("request", id = request_id);
        let page = self.prefix.page_of(&method, request.uri());
        rewrite(request.uri_mut(), &self.prefix);
        let mut response = self.route(request, page).instrument(span.clone()).await;
        dress(&mut response, &request_id);
        let line = Line { method: &method, object: object.as_deref(), begun };
        span.in_scope(|| line.write(&response));
        response
    }

    async fn route(&self, mut request: Request, page: Option<HeaderValue>) -> Response {
        if let Some(hosts) = &self.hosts {
            match hosts.check(request.headers(), request.uri()) {
                Ok(connection) => drop(request.extensions_mut().insert(connection)),
                Err(problem) => return problem.into_response(),
            }
        }
        if let Some(page) = page {
            return (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, page)]).into_response();
        }
        // A panic ends this request and nothing else; what it was about is in the panic's own message.
        let response = AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind().await;
        match response {
            Ok(Ok(response)) => in_our_words(response),
            Ok(Err(never)) => match never {},
            Err(_) => {
                tracing::error!("a handler panicked");
                Problem::internal().into_response()
            }
        }
    }
}

/// The frameworks below us have error texts of their own; none of them leaves the house.
fn in_our_words(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !is_error || kind.is_some_and(|kind| kind == PROBLEM_JSON) {
        return response;
    }
    let (parts, _) = response.into_parts();
    let mut replaced = Problem::of_status(status).into_response();
    if let Some(allow) = parts.headers.get(header::ALLOW) {
        replaced.headers_mut().insert(header::ALLOW, allow.clone());
    }
    *replaced.extensions_mut() = parts.extensions;
    replaced
}

fn dress(response: &mut Response<Body>, request_id: &str) {
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(RESOURCE_POLICY, "same-origin");
    // A page of ours brings the policy that it needs.
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, id);
    }
}

/// A request in the log: ids, a status and a time; no query, no header, no word of anybody.
struct Line<'a> {
    method: &'a Method,
    object: Option<&'a str>,
    begun: Instant,
}

impl Line<'_> {
    fn write(&self, response: &Response) {
        let trail = response.extensions().get::<Trail>();
        let path = trail.map_or("unknown", |trail| trail.path);
        let user = trail.and_then(|trail| trail.user_id).map(tracing::field::display);
        let (status, method) = (response.status().as_u16(), self.method.as_str());
        measure::answered(self.method, path, status, self.begun);
        let micros = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::info!(method, path, object = self.object, user, status, micros, "answered");
    }
}

/// The first id in a path, if there is one.
fn id_in(path: &str) -> Option<&str> {
    path.split('/').find(|segment| {
        segment.split_once('_').is_some_and(|(prefix, digits)| {
            let digits_only = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            prefix.bytes().all(|byte| byte.is_ascii_lowercase()) && digits.len() == ID_DIGITS && digits_only
        })
    })
}

/// The one header that a request of some kind must not have twice.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value)),
            Err(_) => {
                Err(Problem::bad_request("bad_header", format!("The header {name} must be plain text.")))
            }
        },
        _ => Err(Problem::bad_request("bad_header", format!("The header {name} must be sent only once."))),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;

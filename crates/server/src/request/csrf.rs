//! Refuses requests that a page of another address makes a browser send in its person's name.

use crate::{problem::Problem, request::host::Connection};
use axum::http::{HeaderMap, Method, StatusCode, header, request::Parts};

/// THREAT[csrf-01] A browser sends our cookie with whatever request a page makes it send. A page of another origin
/// cannot make it leave out or forge `Origin`; what has none does not come from a page of ours.
///
/// A WebSocket begins with a GET and changes things afterwards, so it counts as changing.
pub(crate) fn check_origin(request: &Parts, connection: Connection) -> Result<(), Problem> {
    let looks = matches!(request.method, Method::GET | Method::HEAD)
        && !request.headers.contains_key(header::UPGRADE);
    if connection.has_origin || looks {
        return Ok(());
    }
    let detail = "A request that changes something and uses a cookie needs the header Origin.";
    Err(Problem::new(StatusCode::FORBIDDEN, "origin_required", detail))
}

/// THREAT[csrf-02] Browsers remember Basic credentials and send them with requests that other pages make.
pub(crate) fn refuse_foreign_basic(headers: &HeaderMap) -> Result<(), Problem> {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    if sites.all(|site| site == "same-origin" || site == "none") {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        "This request comes from a web page of another address, so it was refused.",
    ))
}

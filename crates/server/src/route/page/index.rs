use crate::{page, problem::Problem, route::setup};
use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

const UNBUILT: &str = include_str!("unbuilt.html");

pub(crate) async fn index(headers: HeaderMap) -> Response {
    page::index(&headers).unwrap_or_else(unbuilt)
}

/// The set-up link leads to the page; without it there is a small one that can do this and nothing else.
pub(crate) async fn setup(headers: HeaderMap) -> Response {
    match page::index(&headers) {
        Some(response) => response,
        None => setup::page().await,
    }
}

/// Every place of the page is one segment of a path; a browser that follows a link to one gets the page, which finds it.
pub(crate) async fn elsewhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_place = uri.path().strip_prefix('/').is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    });
    if method == Method::GET
        && is_place
        && accepted.contains("text/html")
        && let Some(response) = page::index(&headers)
    {
        return response;
    }
    Problem::new(StatusCode::NOT_FOUND, "unknown_route", "There is nothing at this address.").into_response()
}

fn unbuilt() -> Response {
    let mut response = UNBUILT.into_response();
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

//! The API's description of itself.

use crate::describe::{packed::Description, page};
use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};

pub(crate) async fn openapi(asked: HeaderMap) -> Description {
    Description::for_client(&asked)
}

pub(crate) async fn docs() -> Response {
    let page = page::page();
    let mut response = page.html.as_str().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Ok(policy) = HeaderValue::from_str(&page.policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

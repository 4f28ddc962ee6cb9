//! The API's description of itself.

use crate::{
    describe::{openapi::document, page},
    json::Json,
};
use axum::{http::HeaderValue, http::header, response::IntoResponse, response::Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// An OpenAPI document.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct OpenApi(#[schemars(with = "serde_json::Map<String, Value>")] &'static Value);

pub(crate) async fn openapi() -> Json<OpenApi> {
    Json(OpenApi(document()))
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

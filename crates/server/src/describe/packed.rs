//! The OpenAPI document as it was packed when the program was built.

use super::{gives::Gives, shape::Shape};
use crate::page::accepts_gzip;
use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use flate2::read::GzDecoder;
use serde_json::{Map, Value};
use std::io::Read as _;

const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// As text.
pub(crate) fn unpacked() -> String {
    let mut text = String::new();
    // It was packed by the build: there is nothing in it that could fail.
    drop(GzDecoder::new(PACKED).read_to_string(&mut text));
    text
}

/// The document in the form that the other end understands.
pub(crate) struct Description(Response);

impl Description {
    pub(crate) fn for_client(asked: &HeaderMap) -> Self {
        let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let vary = (header::VARY, HeaderValue::from_static("accept-encoding"));
        if !accepts_gzip(asked) {
            return Self(([json, vary], unpacked()).into_response());
        }
        let packing = (header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        Self(([json, vary, packing], PACKED).into_response())
    }
}

impl IntoResponse for Description {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Gives for Description {
    fn describe(shape: &mut Shape<'_>) {
        shape.answer::<OpenApi>(200, "application/json");
    }
}

/// An OpenAPI document.
#[derive(schemars::JsonSchema)]
#[schemars(transparent)]
struct OpenApi(#[expect(dead_code, reason = "only its schema is used")] Map<String, Value>);

//! Bytes that are in memory already, sent as a stream.

use anyhow::Result;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::stream::iter;
use std::convert::Infallible;

/// As large as the chunks of ours.
const CHUNK: usize = 64 << 10;

pub fn router(file: &str) -> Result<Router> {
    let bytes = Bytes::from(std::fs::read(file)?);
    Ok(Router::new().route("/", get(send)).with_state(bytes))
}

async fn send(State(bytes): State<Bytes>) -> Response {
    let starts = (0..bytes.len()).step_by(CHUNK);
    let chunks = starts.map(move |at| Ok::<_, Infallible>(bytes.slice(at..bytes.len().min(at + CHUNK))));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(iter(chunks))).into_response()
}

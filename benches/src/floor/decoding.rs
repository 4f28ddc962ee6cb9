//! A proxy that reads what the model sends and sends it in envelopes like ours; it stores nothing and looks for no markup.

use super::{envelope::Translation, upstream::Upstream};
use anyhow::Result;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use futures_util::stream::unfold;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

pub fn router(base: &str) -> Result<Router> {
    Ok(Router::new().route("/", post(translate)).with_state(Upstream::new(base)?))
}

async fn translate(State(upstream): State<Upstream>, request: Request) -> Response {
    match upstream.ask(request.into_body()).await {
        Ok(answer) => {
            let stream = unfold((answer.into_body(), Translation::default()), next);
            ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

type Reading = (Incoming, Translation);

/// The envelopes of the next bytes that have words in them.
async fn next((mut body, mut translation): Reading) -> Option<(Result<Bytes>, Reading)> {
    loop {
        let Ok(bytes) = body.frame().await?.ok()?.into_data() else { continue };
        match translation.push(&bytes) {
            Ok(envelopes) if envelopes.is_empty() => {}
            envelopes => return Some((envelopes.map(Bytes::from), (body, translation))),
        }
    }
}

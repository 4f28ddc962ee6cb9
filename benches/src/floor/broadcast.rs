//! One stream for many: `POST /` asks the model, `GET /` hears it, in envelopes like ours that are made once.

use super::{envelope::Translation, upstream::Upstream};
use anyhow::Result;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::stream::unfold;
use http_body_util::BodyExt as _;
use std::convert::Infallible;
use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};

#[derive(Clone)]
struct Hall {
    upstream: Upstream,
    sender: Sender<Bytes>,
}

pub fn router(base: &str) -> Result<Router> {
    let hall = Hall { upstream: Upstream::new(base)?, sender: channel(4_096).0 };
    Ok(Router::new().route("/", get(listen).post(speak)).with_state(hall))
}

async fn speak(State(hall): State<Hall>) -> StatusCode {
    tokio::spawn(async move {
        let mut body = hall.upstream.ask(Body::empty()).await?.into_body();
        let mut translation = Translation::default();
        while let Some(frame) = body.frame().await {
            let Ok(bytes) = frame?.into_data() else { continue };
            let envelopes = translation.push(&bytes)?;
            if !envelopes.is_empty() {
                // Without listeners there is nothing to do.
                let _ = hall.sender.send(envelopes.into());
            }
        }
        anyhow::Ok(())
    });
    StatusCode::ACCEPTED
}

async fn listen(State(hall): State<Hall>) -> Response {
    let stream = unfold(hall.sender.subscribe(), next);
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
}

/// A listener that has missed something goes on with what there is; its reader notices the gap.
async fn next(mut receiver: Receiver<Bytes>) -> Option<(Result<Bytes, Infallible>, Receiver<Bytes>)> {
    loop {
        match receiver.recv().await {
            Ok(bytes) => return Some((Ok(bytes), receiver)),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

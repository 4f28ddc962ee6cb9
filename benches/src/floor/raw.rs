//! A proxy that passes bytes on and knows nothing of them.

use super::upstream::Upstream;
use anyhow::Result;
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};

pub fn router(base: &str) -> Result<Router> {
    Ok(Router::new().route("/", post(forward)).with_state(Upstream::new(base)?))
}

async fn forward(State(upstream): State<Upstream>, request: Request) -> Response {
    match upstream.ask(request.into_body()).await {
        Ok(answer) => {
            ([(header::CONTENT_TYPE, "text/event-stream")], Body::new(answer.into_body())).into_response()
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

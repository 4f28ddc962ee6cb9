//! JSON bodies: bounded in size and in time, and refused with the name of the field that is wrong.

use crate::{json, limits_per_person::RequestHold, problem::Problem};
use axum::{
    body::{Body, Bytes, HttpBody as _},
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use domain::UserId;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// How much body a route takes, how long it may take to arrive, and for whom it is held. Put into the request by the
/// guard.
#[derive(Clone)]
pub(crate) struct BodyRules {
    pub(crate) limit: usize,
    pub(crate) time: Duration,
    pub(crate) request_hold: Option<RequestHold>,
    pub(crate) user: Option<UserId>,
}

impl BodyRules {
    /// Refuses a body that says itself that it is too long, before a byte of it is read.
    pub(crate) fn check_announced(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > self.limit as u64) {
            Err(self.too_large())
        } else {
            Ok(())
        }
    }

    fn too_large(&self) -> Problem {
        Problem::too_large(format!(
            "This request is too large. The limit is {}.",
            domain::size_words(self.limit as u64)
        ))
    }

    pub(crate) async fn read(&self, body: Body) -> Result<Bytes, Problem> {
        let late = |_| {
            let detail = "The request took too long to arrive. Send it again.";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", detail)
        };
        tokio::time::timeout(self.time, self.collect(body)).await.map_err(late)?
    }

    async fn collect(&self, mut body: Body) -> Result<Bytes, Problem> {
        let mut collected = Vec::new();
        while let Some(frame) = body.frame().await {
            let broken =
                |_| Problem::bad_request("bad_body", "The request broke off before its end. Send it again.");
            let Ok(bytes) = frame.map_err(broken)?.into_data() else { continue };
            if collected.len().saturating_add(bytes.len()) > self.limit {
                return Err(self.too_large());
            }
            if let Some(request_hold) = &self.request_hold {
                request_hold.hold(self.user, bytes.len() as u64)?;
            }
            collected.extend_from_slice(&bytes);
        }
        Ok(collected.into())
    }
}

/// The body of a request, as JSON.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let rules = request.extensions().get::<BodyRules>().cloned().ok_or_else(Problem::internal)?;
        if !is_json(request.headers()) {
            let detail = "The body must be JSON in UTF-8, with the header Content-Type: application/json.";
            return Err(unsupported(detail));
        }
        check_encoding(request.headers())?;
        let bytes = rules.read(request.into_body()).await?;
        json::parse("body", &bytes).map(Self)
    }
}

/// A body that may be left out, because everything in it may be.
pub(crate) struct MaybeBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for MaybeBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.body().is_end_stream() && !request.headers().contains_key(header::CONTENT_TYPE) {
            return Ok(Self(T::default()));
        }
        JsonBody::from_request(request, state).await.map(|JsonBody(body)| Self(body))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let mut pieces = value.split(';').map(|piece| piece.trim().to_ascii_lowercase());
    let media_type = pieces.next().unwrap_or_default();
    let is_json = media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"));
    let is_utf8 = |piece: String| match piece.strip_prefix("charset=") {
        Some(charset) => charset.trim_matches('"') == "utf-8",
        None => true,
    };
    is_json && pieces.all(is_utf8)
}

fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail)
}

/// Bodies come as they are. To unpack them would let a small request become a large one; to read them packed would
/// find nonsense.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    if codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    Err(unsupported("Send the body as it is, without the header Content-Encoding."))
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;

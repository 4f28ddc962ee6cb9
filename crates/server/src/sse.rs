//! Server-sent events: one reader of the engine, one connection.
//!
//! The stream pulls: while the connection takes nothing, nothing is asked of the reader, so there is no queue that
//! could grow. What breaks after the head ends the stream; the client comes back with its cursor.

use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::Envelope;
use engine::Reader;
use futures_util::stream::unfold;
use std::{convert::Infallible, io::Write, pin::Pin, time::Duration};
use tokio_util::sync::CancellationToken;

/// A chunk is sent when it has this size, even if more is ready.
const CHUNK_BYTES: usize = 64 << 10;
/// How long a client waits before it comes back, in milliseconds.
const OPENING: &[u8] = b"retry: 1000\n\n";
const HEARTBEAT: &[u8] = b": still here\n\n";
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The reader together with its next event. Owned, so that a heartbeat does not interrupt the wait: a wait that is
/// dropped half-way could lose an event.
type Waiting = Pin<Box<dyn Future<Output = (Reader, engine::Result<Option<Envelope>>)> + Send>>;

struct Stream {
    waiting: Option<Waiting>,
    opened: bool,
    stop: CancellationToken,
    heartbeat: Duration,
}

pub(crate) fn answer(reader: Reader, stop: CancellationToken, heartbeat: Duration) -> Response {
    let stream = Stream { waiting: Some(wait(reader)), opened: false, stop, heartbeat };
    let mut response = Body::from_stream(unfold(stream, Stream::chunk)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

fn wait(mut reader: Reader) -> Waiting {
    Box::pin(async move {
        let next = reader.next().await;
        (reader, next)
    })
}

impl Stream {
    async fn chunk(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if !self.opened {
            self.opened = true;
            return Some((Ok(Bytes::from_static(OPENING)), self));
        }
        let mut waiting = self.waiting.take()?;
        let (reader, next) = tokio::select! {
            biased;
            () = self.stop.cancelled() => return None,
            next = &mut waiting => next,
            () = tokio::time::sleep(self.heartbeat) => {
                self.waiting = Some(waiting);
                return Some((Ok(Bytes::from_static(HEARTBEAT)), self));
            }
        };
        match next {
            Ok(Some(envelope)) => {
                let (reader, bytes) = gather(reader, envelope)?;
                self.waiting = Some(wait(reader));
                Some((Ok(bytes), self))
            }
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(%error, "a stream ended early");
                None
            }
        }
    }
}

/// This event and those that are ready behind it.
fn gather(mut reader: Reader, first: Envelope) -> Option<(Reader, Bytes)> {
    let mut bytes = Vec::with_capacity(512);
    write(&mut bytes, &first)?;
    while bytes.len() < CHUNK_BYTES {
        let Some(envelope) = reader.take_ready() else { break };
        write(&mut bytes, &envelope)?;
    }
    Some((reader, bytes.into()))
}

/// JSON has no line break of its own, so the data is one line.
fn write(bytes: &mut Vec<u8>, envelope: &Envelope) -> Option<()> {
    let written = write!(bytes, "event: {}\nid: {}\ndata: ", envelope.type_name(), envelope.cursor)
        .map_err(serde_json::Error::io)
        .and_then(|()| serde_json::to_writer(&mut *bytes, envelope));
    bytes.extend_from_slice(b"\n\n");
    written.inspect_err(|error| tracing::error!(%error, "an event cannot be written")).ok()
}

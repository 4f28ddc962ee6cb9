//! Server-sent events: one source, one connection.
//!
//! The stream pulls: while the connection takes nothing, nothing is asked of the reader, so there is no queue that
//! could grow. What breaks after the head ends the stream; the client comes back with its cursor.

use crate::{
    describe::{gives::Gives, shape::Shape},
    measure::OpenStream,
};
use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::Envelope;
use engine::Reader;
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;
use std::{convert::Infallible, marker::PhantomData, pin::Pin, time::Duration};
use tokio_util::sync::CancellationToken;

/// A chunk is sent when it has this size, even if more is ready.
const CHUNK_BYTES: usize = 64 << 10;
/// How long a client waits before it comes back, in milliseconds.
const OPENING: &[u8] = b"retry: 1000\n\n";
const HEARTBEAT: &[u8] = b": still here\n\n";
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a stream is made of.
pub(crate) trait Source: Sized + Send + 'static {
    type Item: Send;

    /// The next item; `None` at the end.
    fn next(&mut self) -> impl Future<Output = engine::Result<Option<Self::Item>>> + Send;

    /// What is there now, without waiting.
    fn take_ready(&mut self) -> Option<Self::Item>;

    /// Appends one whole frame, see [`write_json`].
    fn write(item: &Self::Item, bytes: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl Source for Reader {
    type Item = Envelope;

    async fn next(&mut self) -> engine::Result<Option<Envelope>> {
        Self::next(self).await
    }

    fn take_ready(&mut self) -> Option<Envelope> {
        Self::take_ready(self)
    }

    fn write(envelope: &Envelope, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        let head = format!("event: {}\nid: {}\n", envelope.type_name(), envelope.cursor);
        write_json(bytes, &head, envelope)
    }
}

/// A source together with its next item. Owned, so that a heartbeat does not interrupt the wait: a wait that is
/// dropped half-way could lose an event.
type Waiting<S> = Pin<Box<dyn Future<Output = (S, Next<S>)> + Send>>;
type Next<S> = engine::Result<Option<<S as Source>::Item>>;

struct Stream<S: Source> {
    waiting: Option<Waiting<S>>,
    opened: bool,
    stop: CancellationToken,
    heartbeat: Duration,
    _open: OpenStream,
}

/// An answer that is a stream of these.
pub(crate) struct EventStream<T>(Response, PhantomData<fn() -> T>);

impl<T> IntoResponse for EventStream<T> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<T: JsonSchema> Gives for EventStream<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.answer::<T>(200, "text/event-stream");
    }
}

pub(crate) fn answer<S: Source>(
    source: S,
    stop: CancellationToken,
    heartbeat: Duration,
) -> EventStream<S::Item> {
    let stream =
        Stream { waiting: Some(wait(source)), opened: false, stop, heartbeat, _open: OpenStream::new("sse") };
    let mut response = Body::from_stream(unfold(stream, Stream::chunk)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    EventStream(response, PhantomData)
}

fn wait<S: Source>(mut source: S) -> Waiting<S> {
    Box::pin(async move {
        let next = source.next().await;
        (source, next)
    })
}

impl<S: Source> Stream<S> {
    async fn chunk(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if !self.opened {
            self.opened = true;
            return Some((Ok(Bytes::from_static(OPENING)), self));
        }
        let mut waiting = self.waiting.take()?;
        let (source, next) = tokio::select! {
            biased;
            () = self.stop.cancelled() => return None,
            next = &mut waiting => next,
            () = tokio::time::sleep(self.heartbeat) => {
                self.waiting = Some(waiting);
                return Some((Ok(Bytes::from_static(HEARTBEAT)), self));
            }
        };
        match next {
            Ok(Some(item)) => {
                let (source, bytes) = gather(source, &item)?;
                self.waiting = Some(wait(source));
                Some((Ok(bytes), self))
            }
            // The client comes back when the program is up again.
            Ok(None) | Err(engine::Error::ShuttingDown) => None,
            Err(error) => {
                tracing::warn!(%error, "a stream ended early");
                None
            }
        }
    }
}

/// This item and those that are ready behind it.
fn gather<S: Source>(mut source: S, first: &S::Item) -> Option<(S, Bytes)> {
    let mut bytes = Vec::with_capacity(512);
    let written = S::write(first, &mut bytes).and_then(|()| {
        while bytes.len() < CHUNK_BYTES {
            let Some(item) = source.take_ready() else { break };
            S::write(&item, &mut bytes)?;
        }
        Ok(())
    });
    written.inspect_err(|error| tracing::error!(%error, "an event cannot be written")).ok()?;
    Some((source, bytes.into()))
}

/// One frame: its other lines, then the data. JSON has no line break of its own, so the data is one line.
pub(crate) fn write_json<T: Serialize>(bytes: &mut Vec<u8>, head: &str, data: &T) -> serde_json::Result<()> {
    bytes.extend_from_slice(head.as_bytes());
    bytes.extend_from_slice(b"data: ");
    serde_json::to_writer(&mut *bytes, data)?;
    bytes.extend_from_slice(b"\n\n");
    Ok(())
}

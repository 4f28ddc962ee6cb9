//! Server-sent events: one source, one connection.
//!
//! The stream pulls: while the connection takes nothing, nothing is asked of the reader, so there is no queue that
//! could grow. What breaks after the head ends the stream; the client comes back with its cursor.

use crate::{
    app::App,
    describe::{gives::Gives, shape::Shape},
    measure::OpenStream,
};
use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::Envelope;
use engine::{Frame, Reader, Until};
use hyper::body::{Body as HttpBody, Frame as BodyFrame};
use schemars::JsonSchema;
use std::{
    convert::Infallible,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// A chunk is sent when it has this size, even if more is ready.
const CHUNK_BYTES: usize = 64 << 10;
/// About what a piece of a reply takes.
const PIECE_BYTES: usize = 512;
/// How long a client waits before it comes back, in milliseconds.
const OPENING: &[u8] = b"retry: 1000\n\n";
const HEARTBEAT: &[u8] = b": still here\n\n";
/// The last words of a server that leaves its clients to others.
const FAREWELL: &[u8] = b"retry: 100\n\n";
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a stream is made of.
pub(crate) trait Source: Unpin + Send + 'static {
    type Item;
    /// What its clients read.
    type Shown;

    /// The next item; `None` at the end.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<engine::Result<Option<Self::Item>>>;

    /// What is there now, without waiting.
    fn take_ready(&mut self) -> Option<Self::Item>;

    /// About how many bytes of that there are; it counts no further than `most`.
    fn ready_bytes(&self, most: usize) -> usize;

    /// Appends one whole frame: its other lines, then its data, which is one line.
    fn write(item: &Self::Item, bytes: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl Source for Reader {
    type Item = Frame;
    type Shown = Envelope;

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<engine::Result<Option<Frame>>> {
        Self::poll_next(self, context)
    }

    fn take_ready(&mut self) -> Option<Frame> {
        Self::take_ready(self)
    }

    fn ready_bytes(&self, most: usize) -> usize {
        Self::ready_bytes(self, most)
    }

    fn write(frame: &Frame, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        bytes.extend_from_slice(b"event: ");
        bytes.extend_from_slice(frame.kind().as_bytes());
        bytes.extend_from_slice(b"\nid: ");
        frame.write_cursor(bytes);
        bytes.extend_from_slice(b"\ndata: ");
        frame.write(bytes);
        bytes.extend_from_slice(b"\n\n");
        Ok(())
    }
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

/// How long a stream goes on where the server goes down beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// It has no end of its own: its client is to go on at another server, at once.
    AsLongAsServing,
    /// It ends with its turn, which may take less time than that.
    WithItsTurn,
}

pub(crate) fn answer<S: Source>(source: S, app: &App, stays: Stays) -> EventStream<S::Shown> {
    let mut response = Body::new(Stream::new(source, app, stays)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    EventStream(response, PhantomData)
}

/// The body of the answer. It is asked for every piece of every reply, so nothing is made anew for a piece but its bytes.
struct Stream<S> {
    /// `None` at the end.
    source: Option<S>,
    opened: bool,
    stop: Until,
    /// The server leaves its clients to others.
    leaving: CancellationToken,
    /// Where the stream ends with that.
    leaves: Option<Until>,
    /// Where the server waits for its end.
    _awaits: Option<TaskTrackerToken>,
    heartbeat: Duration,
    /// When something was sent last. The timer is moved only when it goes off.
    spoke: Instant,
    timer: Pin<Box<Sleep>>,
    /// The task that the timer wakes.
    timed: Option<Waker>,
    _open: OpenStream,
}

impl<S: Source> Stream<S> {
    fn new(source: S, app: &App, stays: Stays) -> Self {
        let (heartbeat, leaving) = (app.settings.heartbeat, app.engine.leaving());
        let (leaves, awaits) = match stays {
            Stays::AsLongAsServing => (Some(Until::new(leaving.clone())), None),
            Stays::WithItsTurn => (None, Some(app.engine.awaits_turn())),
        };
        Self {
            source: Some(source),
            opened: false,
            stop: Until::new(app.stop.clone()),
            leaving,
            leaves,
            _awaits: awaits,
            heartbeat,
            spoke: Instant::now(),
            timer: Box::pin(sleep(heartbeat)),
            timed: None,
            _open: OpenStream::new("sse"),
        }
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        if !self.opened {
            self.opened = true;
            return Poll::Ready(Some(Bytes::from_static(OPENING)));
        }
        let leaves = self.leaves.as_mut().is_some_and(|leaves| leaves.poll(context).is_ready());
        if leaves || self.stop.poll(context).is_ready() {
            return Poll::Ready(self.farewell());
        }
        let Poll::Ready(next) = source.poll_next(context) else { return self.poll_heartbeat(context) };
        self.spoke = Instant::now();
        Poll::Ready(match next {
            Ok(Some(item)) => gather(source, &item),
            Ok(None) => None,
            // The client comes back when the program is up again.
            Err(engine::Error::ShuttingDown) => self.farewell(),
            Err(error) => {
                tracing::warn!(%error, "a stream ended early");
                None
            }
        })
    }

    /// The end, with a word to come back soon where another server is there to come to.
    fn farewell(&mut self) -> Option<Bytes> {
        self.source = None;
        self.leaving.is_cancelled().then(|| Bytes::from_static(FAREWELL))
    }

    fn poll_heartbeat(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let timed = self.timed.as_ref().is_some_and(|timed| timed.will_wake(context.waker()));
        if timed && !self.timer.is_elapsed() {
            return Poll::Pending;
        }
        self.timed = Some(context.waker().clone());
        loop {
            ready!(self.timer.as_mut().poll(context));
            let now = Instant::now();
            let silent = now.duration_since(self.spoke) >= self.heartbeat;
            if silent {
                self.spoke = now;
            }
            self.timer.as_mut().reset(self.spoke + self.heartbeat);
            if silent {
                return Poll::Ready(Some(Bytes::from_static(HEARTBEAT)));
            }
        }
    }
}

impl<S: Source> HttpBody for Stream<S> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, Infallible>>> {
        let chunk = ready!(self.poll_chunk(context));
        if chunk.is_none() {
            self.source = None;
        }
        Poll::Ready(chunk.map(|bytes| Ok(BodyFrame::data(bytes))))
    }
}

/// This item and those that are ready behind it.
fn gather<S: Source>(source: &mut S, first: &S::Item) -> Option<Bytes> {
    let mut bytes = Vec::with_capacity(PIECE_BYTES + source.ready_bytes(CHUNK_BYTES));
    let written = S::write(first, &mut bytes).and_then(|()| {
        while bytes.len() < CHUNK_BYTES {
            let Some(item) = source.take_ready() else { break };
            S::write(&item, &mut bytes)?;
        }
        Ok(())
    });
    written.inspect_err(|error| tracing::error!(%error, "an event cannot be written")).ok()?;
    Some(bytes.into())
}

//! A socket on which the head of a request must come in time.

use crate::limits_per_person::ConnectionPlace;
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

/// Fails a read when the head of a request takes too long: the first head from the beginning of its connection, a later
/// one from its first byte. The pause between two requests does not count, so a client or proxy that keeps a connection
/// for its next request does not write into one that is being closed.
pub(crate) struct HeadLimit<S> {
    inner: S,
    place: Arc<ConnectionPlace>,
    limit: Duration,
    /// How many heads had come when `deadline` was set.
    heads: u64,
    /// When the head that has begun must be there.
    deadline: Option<Instant>,
    /// Made when a head is waited for, and used again.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> HeadLimit<S> {
    pub(crate) fn new(inner: S, place: Arc<ConnectionPlace>, limit: Duration) -> Self {
        let deadline = Instant::now().checked_add(limit);
        Self { inner, heads: place.heads(), place, limit, deadline, timer: None }
    }

    /// Ready when the head that has begun is late.
    fn late(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadLimit<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.inner).poll_read(context, buffer);
        let heads = self.place.heads();
        if heads != self.heads {
            (self.heads, self.deadline) = (heads, None);
        }
        if outcome.is_ready() {
            if self.deadline.is_none() && buffer.filled().len() > before && !self.place.is_answering() {
                self.deadline = Instant::now().checked_add(self.limit);
            }
            return outcome;
        }
        ready!(self.late(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the head of a request did not come in time",
        )))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadLimit<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

//! An answer that ends when its client may not go on.

use axum::body::{Body, Bytes};
use engine::{Until, Watch};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

/// A small answer is whole already; only what comes piece by piece can be cut short.
pub(crate) fn revocable(body: Body, watch: Watch) -> Body {
    if body.size_hint().exact().is_some() {
        return body;
    }
    let ended = Until::new(watch.ended().clone());
    Body::new(Revocable { body, ended, _watch: watch })
}

struct Revocable {
    body: Body,
    ended: Until,
    _watch: Watch,
}

impl HttpBody for Revocable {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended.poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Poll::Ready(ready!(Pin::new(&mut self.body).poll_frame(context)))
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

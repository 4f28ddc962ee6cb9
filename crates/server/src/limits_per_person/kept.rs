//! An answer that keeps its seat until its last byte.

use super::RequestHold;
use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

pub(crate) fn kept(body: Body, seat: RequestHold) -> Body {
    Body::new(KeptBody { body, _seat: seat })
}

struct KeptBody {
    body: Body,
    _seat: RequestHold,
}

impl HttpBody for KeptBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! An answer that keeps its [`RequestHold`] until its last byte.

use super::RequestHold;
use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

pub(crate) fn kept(body: Body, request_hold: RequestHold) -> Body {
    Body::new(KeptBody { body, _request_hold: request_hold })
}

struct KeptBody {
    body: Body,
    _request_hold: RequestHold,
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

//! A stream of a session's events.

use super::sse::Decoder;
use crate::error::{Error, Result};
use domain::Envelope;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::collections::VecDeque;

/// Longer than every event; a stream that never ends one is none of ours.
const LONGEST_EVENT: usize = 64 << 20;

pub struct EventStream {
    body: Incoming,
    decoder: Decoder,
    ready: VecDeque<Envelope>,
}

impl EventStream {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, decoder: Decoder::default(), ready: VecDeque::new() }
    }

    /// The next event; `None` when the server has ended the stream. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Option<Envelope>> {
        loop {
            if let Some(envelope) = self.ready.pop_front() {
                return Ok(Some(envelope));
            }
            let Some(frame) = self.body.frame().await else { return Ok(None) };
            let frame = frame.map_err(Error::disconnected)?;
            let Some(bytes) = frame.data_ref() else { continue };
            let events = self.decoder.push(bytes);
            if self.decoder.pending() > LONGEST_EVENT {
                return Err(Error::disconnected("an event of the server is too long"));
            }
            // A type that this program does not know is from a newer server, and nothing it could show.
            self.ready.extend(events.iter().filter_map(|event| serde_json::from_str(&event.data).ok()));
        }
    }
}

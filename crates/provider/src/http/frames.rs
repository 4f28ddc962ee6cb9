//! The body of an answer as the events it is made of, or as the one JSON text of a server that does not stream.

use crate::{
    ErrorKind, ProviderError,
    http::sse::{Decoder, TooLarge},
};
use serde_json::value::RawValue;

/// The largest event of a stream, and the largest answer that is not a stream.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Frames {
    shape: Shape,
    decoder: Decoder,
    /// The answer of a server that does not stream.
    body: Vec<u8>,
}

/// What the body is. Decided by its first byte, because content types lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Unknown,
    Events,
    Json,
    Page,
}

/// What stood at the end of the body.
pub(crate) enum Last {
    /// An event that lacks its empty line; a piece of an event is as good as nothing.
    Event(Option<String>),
    /// The whole answer.
    Json(String),
}

impl Default for Frames {
    fn default() -> Self {
        Self { shape: Shape::Unknown, decoder: Decoder::new(MAX_EVENT_BYTES), body: Vec::new() }
    }
}

impl Frames {
    /// Events that came before an error can still be popped.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        if self.shape == Shape::Unknown {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            self.shape = first.map_or(Shape::Unknown, |first| match first {
                b'{' | b'[' => Shape::Json,
                b'<' => Shape::Page,
                _ => Shape::Events,
            });
        }
        match self.shape {
            Shape::Page => Err(not_an_answer("a web page")),
            Shape::Json if self.body.len().saturating_add(bytes.len()) > MAX_EVENT_BYTES => Err(endless()),
            Shape::Json => {
                self.body.extend_from_slice(bytes);
                Ok(())
            }
            Shape::Unknown | Shape::Events => self.decoder.push(bytes).map_err(|TooLarge| endless()),
        }
    }

    /// The data of the next event that is not empty.
    pub(crate) fn pop(&mut self) -> Option<String> {
        std::iter::from_fn(|| self.decoder.pop()).find(|data| !data.trim().is_empty())
    }

    /// Bytes looked at, for tests of linearity.
    #[cfg(test)]
    pub(crate) fn work(&self) -> u64 {
        self.decoder.looked_at()
    }

    pub(crate) fn finish(&mut self) -> Result<Last, ProviderError> {
        match self.shape {
            Shape::Page => Err(not_an_answer("a web page")),
            Shape::Unknown | Shape::Events => {
                let last = self.decoder.finish().ok().flatten();
                Ok(Last::Event(last.filter(|data| !data.trim().is_empty())))
            }
            Shape::Json => {
                let body = std::mem::take(&mut self.body);
                let body = String::from_utf8_lossy(&body).into_owned();
                if serde_json::from_str::<&RawValue>(&body).is_err() {
                    return Err(truncated());
                }
                Ok(Last::Json(body))
            }
        }
    }
}

pub(crate) fn truncated() -> ProviderError {
    ProviderError::new(ErrorKind::Truncated, "the reply ended before it was complete")
}

/// It said that it has ended, and not that the model has.
pub(crate) fn unexplained() -> ProviderError {
    ProviderError::new(ErrorKind::Truncated, "the reply ended, and the provider did not say why")
}

pub(crate) fn not_an_answer(what: &str) -> ProviderError {
    let detail = format!("the provider answered with {what} instead of a reply");
    ProviderError::new(ErrorKind::Protocol, detail)
}

pub(crate) fn not_json(error: &serde_json::Error) -> ProviderError {
    let detail = format!("the reply contains an event that is not JSON ({error})");
    ProviderError::new(ErrorKind::Protocol, detail)
}

fn endless() -> ProviderError {
    ProviderError::new(ErrorKind::Protocol, "the reply contains an event without an end")
}

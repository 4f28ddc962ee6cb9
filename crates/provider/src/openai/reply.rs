//! An answer, decoded as its bytes come: a stream of events, or a single JSON body from a server that does not stream.

use super::{
    calls::Calls,
    chunk::{Chunk, stop},
};
use crate::{
    Completion, ErrorKind, ModelEvent, ProviderError, Stop, Tokens,
    http_error::reported,
    sse::{Decoder, TooLarge},
};
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// The largest event of a stream, and the largest answer that is not a stream.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Reply {
    shape: Shape,
    decoder: Decoder,
    /// The answer of a server that does not stream.
    body: Vec<u8>,
    calls: Calls,
    tokens: Option<Tokens>,
    finish: Option<Stop>,
    done: bool,
    events: VecDeque<ModelEvent>,
}

/// What the body is. Decided by its first byte, because content types lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Unknown,
    Events,
    Json,
    Page,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            shape: Shape::Unknown,
            decoder: Decoder::new(MAX_EVENT_BYTES),
            body: Vec::new(),
            calls: Calls::default(),
            tokens: None,
            finish: None,
            done: false,
            events: VecDeque::new(),
        }
    }
}

impl Reply {
    /// The stream has said that nothing follows.
    pub(crate) const fn is_done(&self) -> bool {
        self.done
    }

    /// The model has said why it stopped.
    pub(crate) const fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    pub(crate) fn pop(&mut self) -> Option<ModelEvent> {
        self.events.pop_front()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        if self.shape == Shape::Unknown {
            self.shape =
                bytes.iter().find(|byte| !byte.is_ascii_whitespace()).map_or(Shape::Unknown, |first| {
                    match first {
                        b'{' | b'[' => Shape::Json,
                        b'<' => Shape::Page,
                        _ => Shape::Events,
                    }
                });
        }
        match self.shape {
            Shape::Page => Err(not_an_answer("a web page")),
            Shape::Json if self.body.len().saturating_add(bytes.len()) > MAX_EVENT_BYTES => Err(endless()),
            Shape::Json => {
                self.body.extend_from_slice(bytes);
                Ok(())
            }
            Shape::Unknown | Shape::Events => self.push_events(bytes),
        }
    }

    fn push_events(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        let pushed = self.decoder.push(bytes);
        while let Some(data) = self.decoder.pop() {
            if !self.done {
                self.take_event(&data)?;
            }
        }
        pushed.map_err(|TooLarge| endless())
    }

    fn take_event(&mut self, data: &str) -> Result<(), ProviderError> {
        match data.trim() {
            "" => Ok(()),
            "[DONE]" => {
                self.done = true;
                Ok(())
            }
            data => self.take_chunk(data),
        }
    }

    fn take_chunk(&mut self, data: &str) -> Result<(), ProviderError> {
        let chunk: Chunk<'_> = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            // Well-formed, but no event that we know: ignored, as everything unknown is.
            Err(_) if serde_json::from_str::<&RawValue>(data).is_ok() => return Ok(()),
            Err(error) => {
                let detail = format!("the answer holds an event that is not JSON ({error})");
                return Err(ProviderError::new(ErrorKind::Protocol, detail));
            }
        };
        if let Some(error) = chunk.error {
            return Err(reported(error.get()));
        }
        self.tokens = chunk.tokens().or(self.tokens);
        let Some(choice) = chunk.choice() else { return Ok(()) };
        let delta = choice.delta();
        if let Some(text) = delta.thinking() {
            self.say(&text, ModelEvent::Thinking);
        }
        if let Some(text) = delta.text() {
            self.say(&text, ModelEvent::Text);
        }
        for call in delta.calls() {
            self.calls.push(&call)?;
        }
        match choice.finish_reason().as_deref() {
            Some("error") => Err(reported(choice.error.map_or("", RawValue::get))),
            reason => {
                self.finish = reason.map(stop).or(self.finish);
                Ok(())
            }
        }
    }

    /// What came in one packet goes on as one piece.
    fn say(&mut self, text: &str, event: fn(String) -> ModelEvent) {
        let next = event(String::new());
        match (self.events.back_mut(), &next) {
            (Some(ModelEvent::Text(last)), ModelEvent::Text(_))
            | (Some(ModelEvent::Thinking(last)), ModelEvent::Thinking(_)) => last.push_str(text),
            _ => self.events.push_back(event(text.to_owned())),
        }
    }

    /// The body has ended: complete only if it said so.
    pub(crate) fn finish(&mut self) -> Result<Completion, ProviderError> {
        match self.shape {
            Shape::Json => self.finish_json()?,
            Shape::Page => return Err(not_an_answer("a web page")),
            Shape::Unknown | Shape::Events => self.finish_events(),
        }
        let stop = match (self.finish, self.done) {
            (Some(stop), _) => stop,
            (None, true) => Stop::Completed,
            (None, false) => return Err(truncated()),
        };
        // Many servers say `stop` also when they make calls.
        let calls_count = !self.calls.is_empty();
        let stop = match stop {
            Stop::Completed | Stop::ToolUse if calls_count => Stop::ToolUse,
            Stop::ToolUse => Stop::Completed,
            other => other,
        };
        Ok(Completion { stop, calls: self.calls.finish(), tokens: self.tokens })
    }

    /// The last event may lack its empty line; a piece of an event is as good as nothing.
    fn finish_events(&mut self) {
        if let Ok(Some(data)) = self.decoder.finish() {
            let _ = self.take_event(&data);
        }
    }

    fn finish_json(&mut self) -> Result<(), ProviderError> {
        let body = std::mem::take(&mut self.body);
        let body = String::from_utf8_lossy(&body);
        if serde_json::from_str::<&RawValue>(&body).is_err() {
            return Err(truncated());
        }
        self.take_chunk(&body)?;
        if self.finish.is_none() && !self.done {
            return Err(not_an_answer("JSON that is no chat completion"));
        }
        Ok(())
    }
}

fn truncated() -> ProviderError {
    ProviderError::new(ErrorKind::Truncated, "the answer ended without saying that it is complete")
}

fn endless() -> ProviderError {
    ProviderError::new(ErrorKind::Protocol, "the answer holds an event without an end")
}

fn not_an_answer(what: &str) -> ProviderError {
    ProviderError::new(
        ErrorKind::Protocol,
        format!("the provider answered with {what} instead of a chat stream"),
    )
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

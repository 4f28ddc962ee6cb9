//! An answer, decoded as its bytes come: a stream of events, or a single JSON body from a server that does not stream.

use super::{
    calls::Calls,
    chunk::{Chunk, plain_words, stop},
};
use crate::{
    Completion, ModelEvent, ProviderError, Stop, Tokens,
    http::{
        frames::{Frames, Last, not_an_answer, not_json, truncated, unexplained},
        http_error::reported,
    },
    stream::say,
};
use serde_json::value::RawValue;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Reply {
    frames: Frames,
    calls: Calls,
    tokens: Option<Tokens>,
    finish: Option<Stop>,
    done: bool,
    events: VecDeque<ModelEvent>,
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

    /// What the provider has counted so far.
    pub(crate) const fn tokens(&self) -> Option<Tokens> {
        self.tokens
    }

    pub(crate) fn pop(&mut self) -> Option<ModelEvent> {
        self.events.pop_front()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        let pushed = self.frames.push(bytes);
        while let Some(data) = self.frames.pop() {
            if !self.done {
                self.take_event(&data)?;
            }
        }
        pushed
    }

    fn take_event(&mut self, data: &str) -> Result<(), ProviderError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if let Some(text) = plain_words(data) {
            say(&mut self.events, &text, ModelEvent::Text);
            return Ok(());
        }
        self.take_chunk(data)
    }

    fn take_chunk(&mut self, data: &str) -> Result<(), ProviderError> {
        let chunk: Chunk<'_> = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            // Well-formed, but no event that we know: ignored, as everything unknown is.
            Err(_) if serde_json::from_str::<&RawValue>(data).is_ok() => return Ok(()),
            Err(error) => return Err(not_json(&error)),
        };
        if let Some(error) = chunk.error {
            return Err(reported(error.get()));
        }
        self.tokens = chunk.tokens().or(self.tokens);
        let Some(choice) = chunk.choice() else { return Ok(()) };
        let delta = choice.delta();
        if let Some(text) = delta.thinking() {
            say(&mut self.events, &text, ModelEvent::Thinking);
        }
        if let Some(text) = delta.text() {
            say(&mut self.events, &text, ModelEvent::Text);
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

    /// The body has ended: complete only if it said so.
    pub(crate) fn finish(&mut self) -> Result<Completion, ProviderError> {
        match self.frames.finish()? {
            Last::Json(body) => self.take_whole(&body)?,
            Last::Event(Some(data)) => {
                let _ = self.take_event(&data);
            }
            Last::Event(None) => {}
        }
        let stop = match (self.finish, self.done) {
            (Some(stop), _) => stop,
            // That nothing follows does not say that nothing is missing.
            (None, true) => return Err(unexplained()),
            (None, false) => return Err(truncated()),
        };
        let calls = match stop {
            stop if !stop.permits_calls() => Vec::new(),
            stop => self.calls.finish(stop == Stop::Length),
        };
        // Many servers say `stop` also when they make calls.
        let stop = match stop {
            Stop::Completed | Stop::ToolUse if !calls.is_empty() => Stop::ToolUse,
            Stop::ToolUse => Stop::Completed,
            other => other,
        };
        Ok(Completion { stop, calls, tokens: self.tokens, parts: Vec::new() })
    }

    fn take_whole(&mut self, body: &str) -> Result<(), ProviderError> {
        self.take_chunk(body)?;
        if self.finish.is_none() && !self.done {
            return Err(not_an_answer("JSON that is not a chat completion"));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

//! An answer, decoded as its bytes come.

use super::{
    block::News,
    blocks::Blocks,
    event::{Counts, Frame, stop, usage_of, whole},
};
use crate::{
    Completion, ModelEvent, ProviderError, Stop, Tokens,
    http::{
        frames::{Frames, Last, not_an_answer, not_json, truncated, unexplained},
        http_error::reported,
    },
    stream::say,
};
use serde_json::{Value, value::RawValue};
use std::collections::VecDeque;

/// How a body ended.
pub(crate) enum Ending {
    Done(Completion),
    /// The vendor wants to be asked again, with this content as the beginning of the answer.
    Paused(Vec<Value>),
}

#[derive(Debug, Default)]
pub(crate) struct Reply {
    frames: Frames,
    blocks: Blocks,
    /// Of the requests before a pause.
    earlier: Option<Tokens>,
    counts: Counts,
    finish: Option<Finish>,
    done: bool,
    events: VecDeque<ModelEvent>,
}

#[derive(Clone, Copy, Debug)]
enum Finish {
    Stopped(Stop),
    Paused,
}

impl Reply {
    pub(crate) const fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) const fn has_finish(&self) -> bool {
        self.finish.is_some()
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

    /// What the provider has counted so far, also when the answer never became complete.
    pub(crate) fn tokens(&self) -> Option<Tokens> {
        match (self.earlier, self.counts.tokens()) {
            (Some(earlier), Some(now)) => Some(earlier.plus(now)),
            (earlier, now) => earlier.or(now),
        }
    }

    fn take_event(&mut self, data: &str) -> Result<(), ProviderError> {
        let frame: Frame<'_> = match serde_json::from_str(data) {
            Ok(frame) => frame,
            // Well-formed, but no event that we know: ignored, as everything unknown is.
            Err(_) if serde_json::from_str::<&RawValue>(data).is_ok() => return Ok(()),
            Err(error) => return Err(not_json(&error)),
        };
        match frame.kind().as_str() {
            "message_start" => {
                let message = usage_of(frame.message).unwrap_or_default();
                self.counts.update(message.get("usage").unwrap_or(&Value::Null));
            }
            "content_block_start" => {
                if let Some(block) = frame.content_block() {
                    let news = self.blocks.begin(frame.index(), block)?;
                    self.tell(news);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = frame.delta() {
                    let news = self.blocks.push(frame.index(), delta)?;
                    self.tell(news);
                }
            }
            "message_delta" => {
                let delta = frame.delta().unwrap_or_default();
                self.finish_with(delta.get("stop_reason").and_then(Value::as_str));
                self.counts.update(&usage_of(frame.usage).unwrap_or_default());
            }
            "message_stop" => self.done = true,
            "error" => return Err(reported(data)),
            // Some gateways name no type with their error.
            "" if frame.error.is_some() => return Err(reported(data)),
            _ => {}
        }
        Ok(())
    }

    fn finish_with(&mut self, reason: Option<&str>) {
        if let Some(reason) = reason {
            self.finish = Some(stop(reason).map_or(Finish::Paused, Finish::Stopped));
        }
    }

    fn tell(&mut self, news: News) {
        match news {
            News::Text(text) => say(&mut self.events, &text, ModelEvent::Text),
            News::Thinking(text) => say(&mut self.events, &text, ModelEvent::Thinking),
            News::Nothing => {}
        }
    }

    /// The body has ended: complete only if it said so.
    pub(crate) fn finish(&mut self) -> Result<Ending, ProviderError> {
        match self.frames.finish()? {
            Last::Json(body) => self.take_whole(&body)?,
            Last::Event(Some(data)) => {
                let _ = self.take_event(&data);
            }
            Last::Event(None) => {}
        }
        let stop = match (self.finish, self.done) {
            (Some(Finish::Paused), _) if !self.blocks.has_calls() => return Ok(self.pause()),
            (Some(Finish::Stopped(stop)), _) => stop,
            (Some(Finish::Paused), _) => Stop::Completed,
            (None, true) => return Err(unexplained()),
            (None, false) => return Err(truncated()),
        };
        Ok(Ending::Done(self.complete(stop)))
    }

    fn pause(&mut self) -> Ending {
        self.earlier = self.tokens();
        self.counts = Counts::default();
        self.frames = Frames::default();
        (self.finish, self.done) = (None, false);
        self.blocks.next_request();
        Ending::Paused(self.blocks.content())
    }

    /// Ends here, whatever the vendor still had in mind.
    pub(crate) fn complete(&mut self, stop: Stop) -> Completion {
        let tokens = self.tokens();
        let (mut parts, mut calls) = std::mem::take(&mut self.blocks).finish(stop == Stop::Length);
        if !stop.permits_calls() {
            calls.clear();
            parts.retain(|part| !matches!(part, crate::ReplyPart::Call(_)));
        }
        let stop = match stop {
            Stop::Completed | Stop::ToolUse if !calls.is_empty() => Stop::ToolUse,
            Stop::ToolUse => Stop::Completed,
            other => other,
        };
        Completion { stop, calls, tokens, parts }
    }

    /// A server that does not stream answers with the message itself.
    fn take_whole(&mut self, body: &str) -> Result<(), ProviderError> {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        if value.get("error").is_some() {
            return Err(reported(body));
        }
        let message = whole(body).filter(|message| message.stop_reason.is_some());
        let Some(message) = message else { return Err(not_an_answer("JSON that is not a message")) };
        for block in message.content {
            let news = self.blocks.begin(None, block)?;
            self.tell(news);
        }
        self.counts.update(value.get("usage").unwrap_or(&Value::Null));
        self.finish_with(message.stop_reason.as_deref());
        Ok(())
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

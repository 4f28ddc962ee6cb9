//! From events to what a person sees. No I/O.
//!
//! Invariant: of each message exactly its text is shown, in order, once. A reply that begins again and says the same is
//! simply continued; only one that says something else is shown anew.

use domain::{
    CallId, Envelope, EnvelopeBody, EventBody, LiveBody, MessageId, ResultStatus, StopReason, TurnError,
    TurnOutcome, Usage,
};
use serde_json::Value;
use std::collections::HashMap;

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A message begins; what came before it is finished.
    Begin,
    Text(String),
    Thinking(String),
    /// The reply began again and differs: what was shown of it does not count.
    Anew,
    /// The message ended in another way than by saying everything.
    Stopped(StopReason),
    Call {
        name: String,
        arguments: Value,
        status: ResultStatus,
        content: String,
    },
    /// Something went wrong, and it goes on.
    Trouble(String),
}

/// How the turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub outcome: TurnOutcome,
    pub error: Option<TurnError>,
    pub usage: Usage,
}

#[derive(Debug, Default)]
pub struct Transcript {
    message: Option<MessageId>,
    /// What has been shown of the open message.
    shown: String,
    /// The message has begun again, and this is what came since; it agrees with `shown` so far.
    again: Option<String>,
    calls: HashMap<CallId, (String, Value)>,
    ended: Option<Ended>,
}

impl Transcript {
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    pub fn take(&mut self, envelope: Envelope) -> Vec<Piece> {
        match envelope.body {
            EnvelopeBody::Live(LiveBody::Text { message_id, text }) => self.text(message_id, &text),
            EnvelopeBody::Live(LiveBody::Thinking { text, .. }) if self.again.is_none() => {
                vec![Piece::Thinking(text)]
            }
            EnvelopeBody::Live(_) => Vec::new(),
            EnvelopeBody::Durable(body) => self.durable(body),
        }
    }

    fn durable(&mut self, body: EventBody) -> Vec<Piece> {
        match body {
            EventBody::MessageStart { message_id, .. } => self.begin(message_id),
            EventBody::MessageRestarted { message_id, .. } => {
                let begun = self.begin(message_id);
                self.again = (!self.shown.is_empty()).then(String::new);
                begun
            }
            EventBody::MessageComplete { message_id, content, stop_reason, .. } => {
                self.complete(message_id, content, stop_reason)
            }
            EventBody::ToolUseStart { call_id, name, arguments, .. } => {
                self.calls.insert(call_id, (name, arguments));
                Vec::new()
            }
            EventBody::ToolResult { call_id, name, status, content, .. } => {
                let arguments = self.calls.remove(&call_id).map_or(Value::Null, |(_, arguments)| arguments);
                vec![Piece::Call { name, arguments, status, content }]
            }
            EventBody::TurnEnded { outcome, error, usage } => {
                self.ended = Some(Ended { outcome, error, usage });
                Vec::new()
            }
            EventBody::Error(error) if error.retryable => vec![Piece::Trouble(error.message)],
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, message: MessageId) -> Vec<Piece> {
        if self.message.replace(message) == Some(message) {
            return Vec::new();
        }
        self.shown.clear();
        self.again = None;
        vec![Piece::Begin]
    }

    fn text(&mut self, message: MessageId, text: &str) -> Vec<Piece> {
        let mut pieces = self.begin(message);
        let Some(mut again) = self.again.take() else {
            self.shown.push_str(text);
            pieces.push(Piece::Text(text.to_owned()));
            return pieces;
        };
        again.push_str(text);
        if self.shown.starts_with(&again) {
            self.again = Some(again);
            return pieces;
        }
        pieces.extend(self.become_text(again));
        pieces
    }

    /// What is shown becomes this text: by its rest if it goes on from there, else anew.
    fn become_text(&mut self, text: String) -> Vec<Piece> {
        let pieces = match text.strip_prefix(self.shown.as_str()) {
            Some("") => Vec::new(),
            Some(rest) => vec![Piece::Text(rest.to_owned())],
            None => vec![Piece::Anew, Piece::Text(text.clone())],
        };
        self.shown = text;
        pieces
    }

    fn complete(&mut self, message: MessageId, content: String, stop: StopReason) -> Vec<Piece> {
        let mut pieces = self.begin(message);
        self.again = None;
        pieces.extend(self.become_text(content));
        if !matches!(stop, StopReason::Completed | StopReason::ToolUse) {
            pieces.push(Piece::Stopped(stop));
        }
        pieces
    }
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;

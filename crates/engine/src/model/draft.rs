//! [`Draft`], the message that the model is writing: the worker adds to it with every event, and stores it when it is complete.

use crate::{claim::planned_call::PlannedCall, model::read_stream::StreamReader};
use domain::{Part, Usage};
use provider::{ReplyPart, RequestCount};

/// The message the model is writing, as far as it has come.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<PlannedCall>,
    /// Those that stand in the text, in its order.
    pub(crate) text_calls: Vec<PlannedCall>,
    /// Reads the text for elements and calls; none when it is plain words.
    pub(crate) reader: Option<StreamReader>,
    /// The complete message in the order of its wire, where that order is worth keeping.
    pub(crate) order: Vec<ReplyPart>,
    /// The model that writes it.
    pub(crate) model: String,
    pub(crate) usage: Usage,
    /// `true`: the provider has not counted it, we have.
    pub(crate) estimated: bool,
    /// The requests that went out for it.
    pub(crate) sent: RequestCount,
    /// What it may write in all.
    pub(crate) most_output: u64,
    /// In how many further model calls it takes part, if a hook has said so.
    pub(crate) duration: Option<u32>,
    /// An estimate of what was sent, for providers that do not report it.
    pub(crate) prompt_tokens: u64,
}

impl Draft {
    pub(crate) fn parts(&self) -> Vec<Part> {
        if !self.order.is_empty() {
            let ordered = self.order.iter().filter_map(|part| self.ordered(part));
            return ordered.chain(self.text_calls.iter().map(call_part)).collect();
        }
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(Part::Thinking { text: self.thinking.clone() });
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: self.text.clone() });
        }
        parts.extend(self.text_calls.iter().chain(&self.calls).map(call_part));
        parts
    }

    fn ordered(&self, part: &ReplyPart) -> Option<Part> {
        Some(match part {
            ReplyPart::Text(text) => Part::Text { text: text.clone() },
            ReplyPart::Thinking(text) => Part::Thinking { text: text.clone() },
            ReplyPart::Call(index) => call_part(self.calls.get(*index)?),
            ReplyPart::Native { json, replaces } => {
                Part::Native { model: self.model.clone(), json: json.clone(), replaces: *replaces }
            }
        })
    }

    /// It has no words and no calls.
    pub(crate) fn is_silent(&self) -> bool {
        self.text.trim().is_empty() && self.text_calls.is_empty()
    }

    pub(crate) fn length(&self) -> usize {
        let elements = self.reader.as_ref().map_or(0, StreamReader::weight);
        self.text.len() + self.thinking.len() + elements
    }
}

fn call_part(call: &PlannedCall) -> Part {
    Part::Call {
        call_id: call.id,
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        origin: call.origin,
        element_id: call.made.element_id.clone(),
        target: call.made.target.clone(),
        reference: call.made.reference.clone(),
    }
}

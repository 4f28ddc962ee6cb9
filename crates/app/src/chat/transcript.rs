//! From events to what a person sees. No I/O.
//!
//! Invariant: of each message exactly its text is shown, in order, once. A reply that begins again and says the same is
//! simply continued; only one that says something else is shown anew.

use super::{
    element::{AskedQuestion, ElementView},
    output::ShownOutputs,
    request::Request,
};
use domain::{
    AgentState, Answers, Approval, ApprovalStatus, CallId, Envelope, EnvelopeBody, EventBody, LiveBody,
    MessageId, ResultStatus, Retrying, StopReason, TurnError, TurnOutcome, Usage,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A message begins; what came before it is finished.
    Begin,
    Text(String),
    Thinking(String),
    /// The reply began again and differs: what was shown of it does not count. With why, where that was not told already.
    Anew(Option<&'static str>),
    /// Why the turn failed or stopped, said in the place of a reply; how it ended says it again.
    Failed(String),
    /// The message ended in another way than by saying everything.
    Stopped(StopReason),
    Call {
        name: String,
        arguments: Value,
        status: ResultStatus,
        content: String,
    },
    /// A call runs, and says something.
    Running {
        name: String,
        arguments: Value,
    },
    /// A line of what it says.
    Said(String),
    Element(ElementView),
    /// What came of an element.
    Outcome {
        kind: String,
        ok: bool,
        text: String,
    },
    /// Another agent works on it.
    Errand(String),
    Question(AskedQuestion),
    /// Something waits for a yes.
    Approval(Box<Approval>),
    /// What became of it, unless a person said it here.
    Settled(ApprovalStatus),
    /// Something went wrong, and it goes on.
    Trouble(String),
    /// The model has failed and is asked again.
    Retrying {
        attempt: u32,
        of: u32,
        wait_ms: u64,
        why: String,
    },
}

impl Piece {
    /// What is said of a model that is asked again.
    pub fn retrying(attempt: u32, of: u32, wait_ms: u64, why: &str) -> String {
        let seconds = wait_ms.div_ceil(1_000).max(1);
        let unit = if seconds == 1 { "second" } else { "seconds" };
        format!("Retrying ({attempt} of {of}) in {seconds} {unit}: the model did not answer ({why})")
    }
}

/// What is said of a reply that is not the one above.
pub fn anew(why: Option<&str>, advice: &str) -> String {
    let why = why.map(|why| format!("{why} ")).unwrap_or_default();
    format!("{why}The reply starts again. {advice}")
}

/// How the turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
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
    /// It was not the model that made it begin again.
    restarted: bool,
    /// The elements that have begun, and which of them were shown.
    elements: HashMap<String, (String, Value)>,
    elements_shown: HashSet<String>,
    calls: HashMap<CallId, (String, Value)>,
    outputs: ShownOutputs,
    /// The call whose lines are being shown.
    speaking: Option<CallId>,
    /// The calls of elements: what comes of them is told by the elements.
    of_elements: HashSet<CallId>,
    /// The calls that other agents work on.
    errands: HashSet<CallId>,
    waits: bool,
    /// What went wrong last: told if it goes on all the same, for the end of a turn says it itself.
    trouble: Option<String>,
    /// What waits for its person, the oldest first.
    requests: Vec<Request>,
    ended: Option<TurnEnd>,
}

impl Transcript {
    pub fn ended(&self) -> Option<&TurnEnd> {
        self.ended.as_ref()
    }

    /// Does the turn wait for its person?
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Do other agents work for the turn?
    pub fn is_delegated(&self) -> bool {
        !self.errands.is_empty()
    }

    /// Of a turn that was left while these waited for its person.
    pub fn waiting_for(requests: Vec<Request>) -> Self {
        // With what they would be given they were shown already.
        let calls = requests.iter().filter_map(|request| match request {
            Request::Approval(approval) => Some((approval.call_id, (approval.tool.clone(), Value::Null))),
            Request::Question(_) => None,
        });
        Self { calls: calls.collect(), requests, ..Self::default() }
    }

    /// One of them was answered here.
    #[must_use]
    pub fn without(mut self, answered: Answers) -> Self {
        self.settle(answered);
        self
    }

    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    fn settle(&mut self, answered: Answers) {
        self.requests.retain(|request| request.name() != answered);
    }

    pub fn take(&mut self, envelope: Envelope) -> Vec<Piece> {
        match envelope.body {
            EnvelopeBody::Live(LiveBody::Text { message_id, text }) => self.text(message_id, &text),
            EnvelopeBody::Live(LiveBody::Thinking { text, .. }) if self.again.is_none() => {
                vec![Piece::Thinking(text)]
            }
            EnvelopeBody::Live(LiveBody::ElementStart { id, kind, attributes, .. }) => {
                let view = ElementView {
                    kind: kind.clone(),
                    attributes: attributes.clone(),
                    content: String::new(),
                    begins: true,
                };
                self.elements.insert(id, (kind, attributes));
                if view.kind == "todo" { vec![Piece::Element(view)] } else { Vec::new() }
            }
            EnvelopeBody::Live(LiveBody::ElementComplete { id, content, attributes, .. }) => {
                if let (Some(attributes), Some(known)) = (attributes, self.elements.get_mut(&id)) {
                    known.1 = attributes;
                }
                self.element(id, content).into_iter().collect()
            }
            EnvelopeBody::Live(LiveBody::ToolOutput { call_id, offset, delta }) => {
                let lines = self.outputs.take(call_id, offset, &delta);
                self.said(call_id, lines)
            }
            EnvelopeBody::Live(_) => Vec::new(),
            EnvelopeBody::Durable(body) => self.durable(body),
        }
    }

    fn durable(&mut self, body: EventBody) -> Vec<Piece> {
        let goes_on = !matches!(
            body,
            EventBody::AgentStatus { .. } | EventBody::TurnEnded { .. } | EventBody::Usage(_)
        );
        let mut pieces: Vec<Piece> =
            self.trouble.take_if(|_| goes_on).map(Piece::Trouble).into_iter().collect();
        pieces.extend(self.told(body));
        pieces
    }

    fn told(&mut self, body: EventBody) -> Vec<Piece> {
        match body {
            EventBody::MessageStart { message_id, .. } => self.begin(message_id),
            EventBody::MessageRestarted { message_id, attempt, retry } => {
                let mut begun = self.begin(message_id);
                self.again = (!self.shown.is_empty()).then(String::new);
                self.restarted = retry.is_none();
                begun.extend(retry.map(|retry| {
                    let Retrying { of, wait_ms, error } = *retry;
                    Piece::Retrying { attempt, of, wait_ms, why: error.message }
                }));
                begun
            }
            EventBody::MessageComplete { message_id, content, elements, stop_reason, .. } => {
                self.complete(message_id, &content, &elements, stop_reason)
            }
            EventBody::ToolUseStart { call_id, name, arguments, element_id, .. } => {
                if element_id.is_some() {
                    self.of_elements.insert(call_id);
                }
                self.calls.insert(call_id, (name, arguments));
                Vec::new()
            }
            EventBody::ToolResult { call_id, .. } if self.of_elements.contains(&call_id) => {
                self.silent(call_id).0
            }
            EventBody::ElementResult { kind, .. } if kind == "ask" => Vec::new(),
            EventBody::ElementResult { kind, result, .. } => {
                vec![Piece::Outcome { kind, ok: true, text: result }]
            }
            EventBody::ElementError { kind, error, .. } => {
                vec![Piece::Outcome { kind, ok: false, text: error }]
            }
            EventBody::ErrandStarted { call_id, agent_name, .. } => {
                self.errands.insert(call_id);
                vec![Piece::Errand(agent_name)]
            }
            EventBody::ErrandEnded { call_id, .. } => {
                self.errands.remove(&call_id);
                Vec::new()
            }
            EventBody::QuestionPrompt { question, .. } => {
                let asked = AskedQuestion::of(&question);
                self.requests.push(Request::Question(question));
                vec![Piece::Question(asked)]
            }
            EventBody::QuestionAnswered { question_id, .. } => {
                self.settle(Answers::QuestionId(question_id));
                Vec::new()
            }
            EventBody::ApprovalRequest { approval, .. } => {
                self.requests.push(Request::Approval(approval.clone()));
                vec![Piece::Approval(approval)]
            }
            EventBody::ApprovalResult { approval_id, decision, .. } => {
                self.settle(Answers::ApprovalId(approval_id));
                vec![Piece::Settled(decision)]
            }
            EventBody::AgentStatus { state } => {
                self.waits = state == AgentState::InputRequired;
                Vec::new()
            }
            EventBody::ToolResult { call_id, name, status, content, .. } => {
                self.result(call_id, name, status, content)
            }
            EventBody::TurnEnded { outcome, error, usage } => {
                // What it still asked is withdrawn with it.
                self.requests.clear();
                self.trouble = None;
                self.ended = Some(TurnEnd { outcome, error, usage });
                Vec::new()
            }
            EventBody::Error(error) if error.retryable => {
                self.trouble = Some(error.message);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Under the line of their call, which is shown again when another one has spoken in between.
    fn said(&mut self, call: CallId, lines: Vec<String>) -> Vec<Piece> {
        if lines.is_empty() {
            return Vec::new();
        }
        let mut pieces = Vec::new();
        if self.speaking.replace(call) != Some(call) {
            let (name, arguments) = self.calls.get(&call).cloned().unwrap_or_default();
            pieces.push(Piece::Running { name, arguments });
        }
        pieces.extend(lines.into_iter().map(Piece::Said));
        pieces
    }

    fn result(&mut self, call: CallId, name: String, status: ResultStatus, content: String) -> Vec<Piece> {
        let (mut pieces, has_spoken) = self.silent(call);
        let known = self.calls.remove(&call).filter(|_| !has_spoken);
        let arguments = known.map_or(Value::Null, |(_, arguments)| arguments);
        pieces.push(Piece::Call { name, arguments, status, content });
        pieces
    }

    /// The call is over: the rest of what it said, and whether it said anything.
    fn silent(&mut self, call: CallId) -> (Vec<Piece>, bool) {
        let Some(rest) = self.outputs.end(call) else { return (Vec::new(), false) };
        let pieces = self.said(call, rest);
        self.speaking = None;
        (pieces, true)
    }

    fn begin(&mut self, message: MessageId) -> Vec<Piece> {
        if self.message.replace(message) == Some(message) {
            return Vec::new();
        }
        self.shown.clear();
        self.elements.clear();
        self.elements_shown.clear();
        self.again = None;
        self.restarted = false;
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
            None => {
                let why = std::mem::take(&mut self.restarted).then_some(RESTARTED);
                vec![Piece::Anew(why), Piece::Text(text.clone())]
            }
        };
        self.shown = text;
        pieces
    }

    /// An element that is complete, unless it was shown before.
    fn element(&mut self, id: String, content: String) -> Option<Piece> {
        let (kind, attributes) = self.elements.get(&id).cloned()?;
        let is_new = self.elements_shown.insert(id);
        is_new.then_some(Piece::Element(ElementView { kind, attributes, content, begins: false }))
    }

    fn complete(
        &mut self,
        message: MessageId,
        content: &str,
        elements: &[Value],
        stop: StopReason,
    ) -> Vec<Piece> {
        let mut pieces = self.begin(message);
        self.again = None;
        // Words in the place of a reply, not its rest.
        let instead =
            stop == StopReason::Interrupted && (self.shown.is_empty() || !content.starts_with(&self.shown));
        let words = self.become_text(words_of(content, elements));
        pieces.extend(words.into_iter().map(|piece| match piece {
            Piece::Text(text) if instead => Piece::Failed(text),
            piece => piece,
        }));
        pieces.extend(elements.iter().filter_map(|element| self.missed(element)));
        if !matches!(stop, StopReason::Completed | StopReason::ToolUse) {
            pieces.push(Piece::Stopped(stop));
        }
        pieces
    }
}

impl Transcript {
    /// An element that came too fast to be seen while it was written.
    fn missed(&mut self, element: &Value) -> Option<Piece> {
        let text = |name: &str| element.get(name).and_then(Value::as_str).map(str::to_owned);
        let (id, kind) = (text("id")?, text("type")?);
        // What comes of a call is told when it has come.
        if element.get("error").is_some() || kind == INTERACTION || self.elements_shown.contains(&id) {
            return None;
        }
        let begins = kind == "todo" && !self.elements.contains_key(&id);
        let attributes = element.get("attributes").cloned().unwrap_or_default();
        self.elements_shown.insert(id);
        Some(Piece::Element(ElementView {
            kind,
            attributes,
            content: text("content").unwrap_or_default(),
            begins,
        }))
    }
}

/// Why a reply begins again that no model failed at.
const RESTARTED: &str = "The server restarted.";

/// A call that is written into the text, and is no element of its own.
const INTERACTION: &str = "interaction";

/// What stands outside of elements and calls, if the text was read for them; the whole text otherwise.
fn words_of(content: &str, elements: &[Value]) -> String {
    let readings = [markup::Options::default(), markup::Options::display()]
        .map(|options| markup::read(content, options));
    let typed = elements.iter().filter(|element| element["type"] != INTERACTION).count();
    let same = readings.into_iter().find(|reading| reading.elements.len() == typed);
    same.map_or_else(|| content.to_owned(), |reading| reading.text)
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;

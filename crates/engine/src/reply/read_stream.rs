//! The agent's text while it is written: what its people see of it, and what it wants done.
//!
//! Only the stream of the step that runs is ever read here. What people, tools or other agents said may look like markup;
//! it never becomes a call.

use crate::{
    calls::system_functions::Function,
    claim::planned_call::{PlannedCall, TextPosition},
    commands,
    follow::open_message::{Live, Mark, Stream},
    worker::Worker,
};
use domain::{CallId, EffectClass, MarkupMode, MarkupSettings};
use markup::{ElementId, Event, Mode, Options, Parser, ProposedCall, Target};
use std::{collections::HashMap, time::Instant};
use store::calls::Made;
use turn::{Input, NewCall};

/// How texts of an agent with these settings are read; `None` means as plain words.
pub(crate) fn options(settings: MarkupSettings) -> Option<Options> {
    let mode = match settings.mode {
        MarkupMode::Off => return None,
        MarkupMode::Display => Mode::Display,
        MarkupMode::On => Mode::On,
    };
    Some(Options { mode, assertions: settings.assertions, ..Options::default() })
}

/// About what one element takes in memory besides its text.
const ELEMENT_BYTES: usize = 512;

/// A message that is being read.
pub(crate) struct Reading {
    parser: Parser,
    /// When the elements that are not complete began.
    begun: HashMap<ElementId, Instant>,
    elements: usize,
}

enum Seen {
    Live(Live),
    Call(Box<ProposedCall>),
}

impl Reading {
    pub(crate) fn new(settings: MarkupSettings) -> Option<Self> {
        options(settings).map(|options| Self {
            parser: Parser::new(options),
            begun: HashMap::new(),
            elements: 0,
        })
    }

    fn push(&mut self, text: &str) -> Vec<Seen> {
        let mut seen = Vec::new();
        let Self { parser, begun, elements } = self;
        parser.push(text, |event| {
            *elements += usize::from(matches!(event, Event::ElementStart { .. }));
            seen.push(see(event, begun));
        });
        seen
    }

    /// What the elements read so far weigh in memory, besides their text.
    pub(crate) fn weight(&self) -> usize {
        self.elements.saturating_mul(ELEMENT_BYTES)
    }

    fn finish(&mut self) -> Vec<Seen> {
        let mut seen = Vec::new();
        let Self { parser, begun, .. } = self;
        parser.finish(|event| seen.push(see(event, begun)));
        seen
    }
}

fn see(event: Event<'_>, begun: &mut HashMap<ElementId, Instant>) -> Seen {
    let mark = match event {
        Event::Text(text) => return Seen::Live(Live::text(text)),
        Event::ElementDelta { id, text } => {
            return Seen::Live(Live::Words(Stream::Element(id.to_string()), text.to_owned()));
        }
        Event::Call(call) => return Seen::Call(Box::new(call.clone())),
        Event::ElementStart { id, parent_id, kind, attributes, executable, .. } => {
            begun.insert(id, Instant::now());
            let parent_id = parent_id.map(|id| id.to_string());
            let attributes = serde_json::to_value(attributes).unwrap_or_default();
            Mark::Start { id: id.to_string(), parent_id, kind, attributes, executable }
        }
        Event::ElementComplete { id, kind, attributes, content, executable, .. } => {
            let spent = begun.remove(&id).map_or(0, |begun| begun.elapsed().as_millis());
            let duration_ms = u64::try_from(spent).unwrap_or(u64::MAX);
            let (id, content) = (id.to_string(), content.to_owned());
            let attributes =
                (kind == "hml-prompt").then(|| serde_json::to_value(attributes).unwrap_or_default());
            Mark::Complete { id, kind, attributes, content, executable, duration_ms }
        }
        Event::ElementError { id, kind, error } => {
            Mark::Error { id: id.map(|id| id.to_string()), kind, error: error.to_string() }
        }
    };
    Seen::Live(Live::Mark(mark))
}

impl Worker {
    /// Reads what the model has just written. A call that is complete is proposed at once.
    pub(crate) fn read_on(&mut self, text: &str) {
        let Some(mut reading) = self.draft.reading.take() else {
            return self.feed.push([Live::text(text)]);
        };
        for call in self.take_in(reading.push(text)) {
            self.heard.push_back(Input::CallProposed(NewCall { id: call.id, class: call.class }));
            self.calls.insert(call.id, call.clone());
            self.draft.text_calls.push(call);
        }
        self.draft.reading = Some(reading);
    }

    /// The message is complete. The calls that only its end made clear are stored with it.
    pub(crate) fn finish_reading(&mut self) -> Vec<PlannedCall> {
        let Some(mut reading) = self.draft.reading.take() else { return Vec::new() };
        let calls = self.take_in(reading.finish());
        let at_end = |mut call: PlannedCall| {
            call.standing = call.standing.map(|standing| TextPosition { at_end: true, ..standing });
            call
        };
        calls.into_iter().map(at_end).collect()
    }

    fn take_in(&mut self, seen: Vec<Seen>) -> Vec<PlannedCall> {
        let mut calls = Vec::new();
        let mut live = Vec::new();
        for seen in seen {
            match seen {
                Seen::Live(piece) => live.push(piece),
                Seen::Call(call) => {
                    self.feed.push(live.drain(..));
                    calls.push(self.plan_text_call(*call));
                }
            }
        }
        if !live.is_empty() {
            self.feed.push(live);
        }
        calls
    }

    fn plan_text_call(&self, mut call: ProposedCall) -> PlannedCall {
        if call.target == Target::System && self.resolved.tool(&call.name).is_none() {
            call.name = commands::bare_name(&call.name).to_owned();
        }
        let class = match &call.target {
            Target::System => match Function::of(&call.name) {
                Some(function) => function.class(),
                None => self.resolved.tool(&call.name).map_or(EffectClass::Effect, |tool| tool.class),
            },
            Target::Agent => EffectClass::Txn,
            // Shown, asked or refused: nothing of it happens outside of our own rows.
            _ => EffectClass::Read,
        };
        let made = Made {
            target: Some(call.target.to_string()),
            element_id: call.element_id.map(|id| id.to_string()),
            reference: Some(call.reference),
        };
        let standing =
            TextPosition { offset: self.feed.length(), end: call.span.end, order: call.order, at_end: false };
        PlannedCall {
            id: CallId::from_uuid(self.new_uuid()),
            name: call.name,
            arguments: call.arguments,
            origin: call.origin,
            class,
            made,
            standing: Some(standing),
            problem: None,
        }
    }
}

//! Opening and closing elements.

use crate::{
    Attributes, Event, Parser,
    call::ProposedCall,
    element::{Content, ElementSpec},
    entity,
    event::{ElementFault, Span},
    interaction,
    options::Mode,
    parser::Sink,
    prompt,
    scan::{
        Reading, attributes::Case, body::BodyScan, candidate::Candidate, code_fences::LinePlace, name::Tag,
        open::Open,
    },
};
use domain::Origin;
use serde_json::Value;

impl Parser {
    /// A whole opening tag is held.
    pub(crate) fn open_tag(
        &mut self,
        end: usize,
        name: &'static str,
        tag: Tag,
        name_end: usize,
        self_closing: bool,
        sink: Sink<'_>,
    ) {
        let case = if matches!(tag, Tag::Element(_)) { Case::Lower } else { Case::Kept };
        let tail = if self_closing { 2 } else { 1 };
        let inside = self.held.get(name_end..self.held.len().saturating_sub(tail)).unwrap_or_default();
        let attributes = Attributes::read(inside, case);
        match tag {
            Tag::Element(spec) => self.open_element(end, (name, spec), attributes, self_closing, sink),
            Tag::Parallel => {
                self.drop_held();
                if !self_closing {
                    self.numbers.groups += 1;
                    self.numbers.group = Some(self.numbers.groups);
                    self.know_names();
                }
            }
            Tag::Interaction | Tag::Pattern => {
                let is_pattern = matches!(tag, Tag::Pattern);
                let plain = if is_pattern {
                    attributes.get("name").is_some_and(|name| !name.is_empty())
                } else {
                    interaction::attributes_suffice(&attributes)
                };
                let opening = self.held.len();
                if (is_pattern || self_closing) && !plain {
                    return self.refuse_held(sink);
                }
                let scan = if is_pattern { BodyScan::raw(name) } else { BodyScan::json(name, plain) };
                self.candidate = Candidate::Body { scan: Box::new(scan), name, opening, name_end };
                if self_closing {
                    self.propose_plain(self.held_span(end), sink);
                    self.drop_held();
                }
            }
        }
    }

    /// A whole tag that means nothing here is text.
    fn refuse_held(&mut self, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        self.emit(&held, &mut *sink);
        self.drop_held();
    }

    fn open_element(
        &mut self,
        end: usize,
        (name, spec): (&'static str, &'static ElementSpec),
        attributes: Attributes,
        self_closing: bool,
        sink: Sink<'_>,
    ) {
        // What belongs to a prompt has no children, and a prompt that stands deep can be answered too.
        let of_prompt = spec.part_of.is_some()
            || (spec.name == prompt::RESPONSE
                && self.stack.last().is_some_and(|open| open.spec.name == prompt::ELEMENT));
        if self.stack.len() >= self.options.limits.depth && !of_prompt {
            return self.refuse_held(sink);
        }
        let start = end - self.held.len();
        self.drop_held();
        let id = spec.part_of.is_none().then(|| self.next_id(spec.name));
        if let Some(id) = id {
            let parent_id = self.stack.last().and_then(|open| open.id);
            let executable = self.executes(spec);
            let (kind, tag) = (spec.name, Span { start, end });
            sink(Event::ElementStart { id, parent_id, kind, attributes: &attributes, executable, tag });
        }
        self.stack.push(Open {
            id,
            spec,
            attributes,
            content: String::new(),
            overflowed: false,
            choices: Vec::new(),
            responses: 0,
            answer: None,
            start,
        });
        if self_closing {
            self.complete(Span { start: end, end }, sink);
        } else if spec.content == Content::Raw {
            self.reading = Reading::Raw(name);
        }
        self.know_names();
    }

    fn executes(&self, spec: &ElementSpec) -> bool {
        self.options.mode == Mode::On && spec.is_executable()
    }

    /// Which names a tag may have depends on what is open.
    pub(crate) fn know_names(&mut self) {
        let names = self.names;
        let parent = self.stack.last().map(|open| open.spec.name);
        let parts = match parent {
            Some("hml-prompt") => names.of(|tag| matches!(tag, Tag::Element(spec) if spec.part_of == parent)),
            _ => 0,
        };
        let calls = if self.options.mode == Mode::On { names.calls } else { 0 };
        let group =
            if self.numbers.group.is_some() { names.of(|tag| matches!(tag, Tag::Parallel)) } else { 0 };
        self.open_names = names.elements | parts | calls;
        self.close_names = names.elements | group;
    }

    /// A whole closing tag is held.
    pub(crate) fn close_tag(&mut self, end: usize, tag: Tag, sink: Sink<'_>) {
        let span = self.held_span(end);
        self.drop_held();
        let Tag::Element(spec) = tag else {
            self.numbers.group = None;
            return self.know_names();
        };
        let Some(position) = self.stack.iter().rposition(|open| open.spec.name == spec.name) else {
            let error = ElementFault::NothingToClose { kind: spec.name };
            return sink(Event::ElementError { id: None, kind: spec.name, error: &error });
        };
        while self.stack.len() > position + 1 {
            let Some(open) = self.stack.pop() else { break };
            let kind = open.spec.name;
            let error = ElementFault::ImplicitlyClosed { kind, by: spec.name };
            if let Some(id) = open.id {
                sink(Event::ElementError { id: Some(id), kind, error: &error });
            }
        }
        self.complete(span, sink);
        self.know_names();
    }

    /// The closing tag of the raw element on top is held.
    pub(crate) fn close_raw(&mut self, end: usize, sink: Sink<'_>) {
        let span = self.held_span(end);
        self.drop_held();
        self.complete(span, sink);
        self.know_names();
        debug_assert_eq!(self.reading, Reading::Line(LinePlace::Prose));
    }

    /// The element on top is whole.
    fn complete(&mut self, tag: Span, sink: Sink<'_>) {
        let Some(mut open) = self.stack.pop() else { return };
        let (kind, limit) = (open.spec.name, self.options.limits.content);
        let Some(id) = open.id else {
            if let Some(parent) = self.stack.last_mut() {
                parent.take_part(&open);
            }
            return;
        };
        if open.overflowed {
            let error = ElementFault::TooLong { kind, limit };
            return sink(Event::ElementError { id: Some(id), kind, error: &error });
        }
        if kind == prompt::ELEMENT {
            prompt::settle(&mut open.attributes, std::mem::take(&mut open.choices), open.answer.take());
        }
        if kind == prompt::RESPONSE
            && let Some(parent) = self.stack.last_mut()
        {
            parent.answer = Some(entity::decode(open.content.trim()));
        }
        let executable = self.executes(open.spec);
        let content = open.content.trim();
        let attributes = &open.attributes;
        sink(Event::ElementComplete { id, kind, attributes, content, executable, tag });
        if let Some(call) = open.spec.call.filter(|_| executable) {
            let call = call(attributes, content);
            self.propose(
                ProposedCall {
                    origin: Origin::Element,
                    target: call.target,
                    name: kind.to_owned(),
                    arguments: interaction::clean(Value::Object(call.arguments)),
                    reference: id.to_string(),
                    element_id: Some(id),
                    order: self.order(),
                    span: Span { start: open.start, end: tag.end },
                },
                sink,
            );
        }
    }
}

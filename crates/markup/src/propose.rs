//! Calls that are no elements: interactions, tool patterns, assertions.

use crate::{
    Attributes, Parser, Span, Target,
    assertion::Operation,
    call::{Order, ProposedCall},
    interaction::{self, Interaction},
    parser::Sink,
    pattern,
    scan::{attributes::Case, candidate::Candidate, name::Tag},
};
use domain::Origin;
use serde_json::Value;

impl Parser {
    pub(crate) fn propose_at(
        &mut self,
        target: Target,
        method: String,
        arguments: Value,
        span: Span,
        sink: Sink<'_>,
    ) {
        let interaction =
            Interaction { id: None, target, property: method, payload: interaction::clean(arguments) };
        self.propose_interaction(interaction, "at", span, sink);
    }

    /// Whether the JSON of an interaction asks for anything.
    pub(crate) fn propose_json(&mut self, value: Value, span: Span, sink: Sink<'_>) -> bool {
        let mut interactions = interaction::from_json(value);
        if interactions.is_empty()
            && let Some((attributes, _)) = self.held_body()
        {
            interactions.extend(interaction::from_attributes(&attributes, "{"));
        }
        let any = !interactions.is_empty();
        for interaction in interactions {
            self.propose_interaction(interaction, "attr", span, sink);
        }
        any
    }

    /// An interaction of attributes, or a tool pattern, is held up to its end.
    pub(crate) fn propose_plain(&mut self, span: Span, sink: Sink<'_>) -> bool {
        let Some((attributes, body)) = self.held_body() else { return false };
        let body = body.to_owned();
        if self.held_is_pattern() {
            let Some(name) = attributes.get("name") else { return false };
            let reference = self.new_reference("call");
            let call = ProposedCall {
                origin: Origin::Pattern,
                target: Target::System,
                name: name.to_owned(),
                arguments: pattern::arguments(&body),
                reference,
                element_id: None,
                order: self.order(),
                span,
            };
            self.propose(call, sink);
            return true;
        }
        let Some(interaction) = interaction::from_attributes(&attributes, &body) else { return false };
        self.propose_interaction(interaction, "attr", span, sink);
        true
    }

    fn held_is_pattern(&self) -> bool {
        let Candidate::Body { name, .. } = &self.candidate else { return false };
        self.names.tag(name).is_some_and(|tag| matches!(tag, Tag::Pattern))
    }

    /// The attributes and the body of what is held.
    fn held_body(&self) -> Option<(Attributes, &str)> {
        let Candidate::Body { opening, name_end, .. } = &self.candidate else { return None };
        let tag = self.held.get(*name_end..*opening)?.strip_suffix('>')?;
        let attributes = Attributes::read(tag.strip_suffix('/').unwrap_or(tag), Case::Kept);
        let body = self.held.get(*opening..)?;
        let end = body.rfind("</").unwrap_or(body.len());
        Some((attributes, body.get(..end)?))
    }

    fn propose_interaction(&mut self, interaction: Interaction, made_up: &str, span: Span, sink: Sink<'_>) {
        let Interaction { id, target, property, payload } = interaction;
        let reference = id.unwrap_or_else(|| self.new_reference(made_up));
        let call = ProposedCall {
            origin: Origin::Interaction,
            target,
            name: property,
            arguments: payload,
            reference,
            element_id: None,
            order: self.order(),
            span,
        };
        self.propose(call, sink);
    }

    pub(crate) fn propose_operations(&mut self, operations: Vec<Operation>, span: Span, sink: Sink<'_>) {
        for operation in operations {
            let Operation { id, target, name, arguments, order, .. } = operation;
            let call = ProposedCall {
                origin: Origin::Assertion,
                target,
                name,
                arguments,
                reference: id,
                element_id: None,
                order: if order == Order::InTurn { self.order() } else { order },
                span,
            };
            self.propose(call, sink);
        }
    }

    fn new_reference(&mut self, made_up: &str) -> String {
        self.numbers.last_call += 1;
        format!("{made_up}-{}", self.numbers.last_call)
    }
}

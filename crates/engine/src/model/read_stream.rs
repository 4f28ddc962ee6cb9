//! Parses the agent's text while the model writes it: into what readers are shown, and the calls that stand in it.
//!
//! Only the stream of the step that runs is ever read here. What people, tools or other agents said may look like markup;
//! it never becomes a call.

use crate::follow::open_message::{Live, Mark, Stream};
use domain::MarkupSettings;
use markup::{ElementId, Event, Options, Parser, ProposedCall};
use std::{collections::HashMap, time::Instant};

/// About what one element takes in memory besides its text.
const ELEMENT_BYTES: usize = 512;

/// Reads the text of one message, piece by piece.
pub(crate) struct StreamReader {
    parser: Parser,
    /// When the elements that are not complete began.
    begun: HashMap<ElementId, Instant>,
    elements: usize,
}

/// What the parser made of a piece of text.
pub(crate) enum ParsedPiece {
    /// For readers.
    Live(Live),
    /// For the worker.
    Call(Box<ProposedCall>),
}

impl StreamReader {
    pub(crate) fn new(settings: MarkupSettings) -> Option<Self> {
        Options::of(settings).map(|options| Self {
            parser: Parser::new(options),
            begun: HashMap::new(),
            elements: 0,
        })
    }

    pub(crate) fn push(&mut self, text: &str) -> Vec<ParsedPiece> {
        let mut pieces = Vec::new();
        let Self { parser, begun, elements } = self;
        parser.push(text, |event| {
            *elements += usize::from(matches!(event, Event::ElementStart { .. }));
            pieces.push(piece_of(event, begun));
        });
        pieces
    }

    /// What the elements read so far weigh in memory, besides their text.
    pub(crate) fn weight(&self) -> usize {
        self.elements.saturating_mul(ELEMENT_BYTES)
    }

    pub(crate) fn finish(&mut self) -> Vec<ParsedPiece> {
        let mut pieces = Vec::new();
        let Self { parser, begun, .. } = self;
        parser.finish(|event| pieces.push(piece_of(event, begun)));
        pieces
    }
}

fn piece_of(event: Event<'_>, begun: &mut HashMap<ElementId, Instant>) -> ParsedPiece {
    let mark = match event {
        Event::Text(text) => return ParsedPiece::Live(Live::text(text)),
        Event::ElementDelta { id, text } => {
            return ParsedPiece::Live(Live::Words(Stream::Element(id.to_string()), text.to_owned()));
        }
        Event::Call(call) => return ParsedPiece::Call(Box::new(call.clone())),
        Event::ElementStart { id, parent_id, kind, attributes, executable, .. } => {
            begun.insert(id, Instant::now());
            let parent_id = parent_id.map(|id| id.to_string());
            let attributes = serde_json::to_value(attributes).unwrap_or_default();
            Mark::Start { id: id.to_string(), parent_id, kind: kind.into(), attributes, executable }
        }
        Event::ElementComplete { id, kind, attributes, content, executable, .. } => {
            let spent = begun.remove(&id).map_or(0, |begun| begun.elapsed().as_millis());
            let duration_ms = u64::try_from(spent).unwrap_or(u64::MAX);
            let (id, content) = (id.to_string(), content.to_owned());
            let attributes =
                (kind == "hml-prompt").then(|| serde_json::to_value(attributes).unwrap_or_default());
            Mark::Complete { id, kind: kind.into(), attributes, content, executable, duration_ms }
        }
        Event::ElementError { id, kind, error } => {
            Mark::Error { id: id.map(|id| id.to_string()), kind: kind.into(), error: error.to_string() }
        }
    };
    ParsedPiece::Live(Live::Mark(mark))
}

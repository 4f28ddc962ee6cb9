//! What the parser says while it reads. Every event borrows; a caller that wants to keep one copies it.

use crate::{Attributes, ProposedCall};
use serde::{Serialize, Serializer};
use std::fmt;

/// The n-th element of a message, counted from one. The same text gives the same ids, however it was cut, so what
/// was said live and what is derived later from the stored text agree. The answer inside a prompt is named after the
/// prompt: writing one down changes no other id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId {
    number: u32,
    /// 0, or which answer of that prompt it is.
    answer: u32,
}

impl ElementId {
    pub(crate) fn numbered(number: u32) -> Self {
        Self { number, answer: 0 }
    }

    pub(crate) fn answer(self, answer: u32) -> Self {
        Self { number: self.number, answer }
    }
}

impl Serialize for ElementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answer {
            0 => write!(f, "e{}", self.number),
            1 => write!(f, "e{}r", self.number),
            more => write!(f, "e{}r{more}", self.number),
        }
    }
}

/// From where to where, in bytes of the message's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, PartialEq)]
pub enum Event<'a> {
    /// Text outside of every element.
    Text(&'a str),
    ElementStart {
        id: ElementId,
        parent_id: Option<ElementId>,
        kind: &'static str,
        attributes: &'a Attributes,
        /// Its completion proposes a call.
        executable: bool,
        /// Its opening tag, in bytes of the message.
        tag: Span,
    },
    /// The next piece of an element's own content, untrimmed. What its children contain is theirs.
    ElementDelta { id: ElementId, text: &'a str },
    ElementComplete {
        id: ElementId,
        kind: &'static str,
        /// Those of the start, and what the content added (the `options` of an `hml-prompt`).
        attributes: &'a Attributes,
        /// Trimmed.
        content: &'a str,
        executable: bool,
        /// Its closing tag; empty when the opening tag closed itself.
        tag: Span,
    },
    /// The element never completes. Without an id: a closing tag that closes nothing.
    ElementError { id: Option<ElementId>, kind: &'static str, error: &'a ElementFault },
    /// Something the agent wants run. An executable element is complete before its call is proposed.
    Call(&'a ProposedCall),
}

/// Why an element never completes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElementFault {
    #[error("Closing tag </{kind}> without matching opening tag")]
    NothingToClose { kind: &'static str },
    #[error("Element <{kind}> implicitly closed by </{by}>")]
    ImplicitlyClosed { kind: &'static str, by: &'static str },
    #[error("Unclosed element at end of stream")]
    Unclosed,
    #[error(
        "Element <{kind}> is longer than {limit} bytes and is not used; write less, or write it to a file"
    )]
    TooLong { kind: &'static str, limit: usize },
}

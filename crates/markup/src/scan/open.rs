//! An element that has begun and not ended.

use crate::{Attributes, ElementId, element::ElementSpec, prompt};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Open {
    /// None for a part of another element, which is not told by itself.
    pub(crate) id: Option<ElementId>,
    pub(crate) spec: &'static ElementSpec,
    pub(crate) attributes: Attributes,
    pub(crate) content: String,
    pub(crate) overflowed: bool,
    /// What its parts list: the choices of a prompt.
    pub(crate) choices: Vec<Value>,
    /// Answers that stand in it, if it is a prompt, and what the last one says.
    pub(crate) responses: u32,
    pub(crate) answer: Option<String>,
    /// Where its opening tag begins.
    pub(crate) start: usize,
}

impl Open {
    /// A part of it is whole. One that is too long fails, and what it is a part of fails with it: no person is asked to
    /// choose from half of the choices, and how much of it was read depends on how the text was cut.
    pub(crate) fn take_part(&mut self, part: &Self) {
        if part.overflowed {
            self.overflowed = true;
        } else {
            self.choices.extend(prompt::choices_of_part(part.spec.name, &part.attributes, &part.content));
        }
    }

    /// **Invariant:** `content` is everything or, once it overflowed, nothing to be used.
    pub(crate) fn append(&mut self, text: &str, limit: usize) {
        if self.overflowed || self.content.len() + text.len() > limit {
            self.overflowed = true;
        } else {
            self.content.push_str(text);
        }
    }
}

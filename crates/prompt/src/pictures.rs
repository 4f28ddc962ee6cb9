//! The pictures of a conversation, as far as a model is shown them.

use domain::UploadId;
use provider::UserPart;
use std::collections::HashMap;

/// What one picture takes of a model's window: about what the large vendors charge.
pub(crate) const PICTURE_TOKENS: u64 = 1_000;

/// The pictures that a prompt shows. In the place of every other one stands a note.
#[derive(Default)]
pub struct Pictures {
    shown: HashMap<UploadId, UserPart>,
    /// The model cannot see any.
    blind: bool,
}

impl Pictures {
    /// For a model that sees, and is shown these.
    pub fn shown(shown: HashMap<UploadId, UserPart>) -> Self {
        Self { shown, blind: false }
    }

    /// None of them. `sees`: the model could see them.
    pub fn none(sees: bool) -> Self {
        Self { shown: HashMap::new(), blind: !sees }
    }

    pub(crate) fn part(&self, id: UploadId) -> UserPart {
        let note = match self.blind {
            true => "[A picture was sent along here. You cannot see pictures; say so if it matters.]",
            false => "[A picture was sent along here; it is not shown any more.]",
        };
        self.shown.get(&id).cloned().unwrap_or_else(|| UserPart::Text(note.to_owned()))
    }
}

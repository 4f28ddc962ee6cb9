//! The pictures and the texts of files of a conversation, as far as a model is shown them.

mod file_text;

pub(crate) use file_text::{tokens as file_tokens, told as file_told};

use domain::{AttachedFile, UploadId};
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
    /// The beginnings of files.
    texts: HashMap<UploadId, String>,
}

impl Pictures {
    /// For a model that sees, and is shown these.
    pub fn shown(shown: HashMap<UploadId, UserPart>) -> Self {
        Self { shown, ..Self::default() }
    }

    /// None of them. `sees`: the model could see them.
    pub fn none(sees: bool) -> Self {
        Self { blind: !sees, ..Self::default() }
    }

    #[must_use]
    pub fn with_texts(self, texts: HashMap<UploadId, String>) -> Self {
        Self { texts, ..self }
    }

    /// `reads`: the agent has the tool to read on.
    pub(crate) fn file(&self, file: &AttachedFile, reads: bool) -> UserPart {
        let text = self.texts.get(&file.upload_id).map(String::as_str);
        UserPart::Text(file_text::told(file, text, reads))
    }

    pub(crate) fn part(&self, id: UploadId) -> UserPart {
        let note = match self.blind {
            true => "[A picture was sent along here. You cannot see pictures; say so if it matters.]",
            false => "[A picture was sent along here; it is not shown any more.]",
        };
        self.shown.get(&id).cloned().unwrap_or_else(|| UserPart::Text(note.to_owned()))
    }
}

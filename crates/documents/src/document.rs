//! What became of a file: its text in parts, or why there is none.

use crate::DocumentKind;
use serde::{Deserialize, Serialize};

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub kind: DocumentKind,
    /// In the order of the file. Parts without words are among them: a page is counted, also when it is empty.
    pub parts: Vec<DocumentPart>,
    /// The file holds more than the limits let through.
    pub cut: bool,
}

/// A page, a sheet, a slide, a chapter; a plain text is one part without a title.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    pub title: Option<String>,
    pub text: String,
}

impl DocumentPart {
    pub(crate) fn titled(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: Some(title.into()), text: text.into() }
    }
}

impl Document {
    /// A file without a word is told as such, so that no person wonders why the model knows nothing of it.
    pub(crate) fn of(kind: DocumentKind, parts: Vec<DocumentPart>, cut: bool) -> Result<Self, Unreadable> {
        if parts.iter().all(|part| part.text.trim().is_empty()) {
            return Err(if cut { Unreadable::TooMuch(kind) } else { Unreadable::NoText(kind) });
        }
        Ok(Self { kind, parts, cut })
    }

    pub fn chars(&self) -> usize {
        self.parts.iter().map(|part| part.text.chars().count()).sum()
    }
}

/// Why a file has no text for a model, in words for its person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("This {} is locked with a password. Remove the password and attach it again.", .0.noun())]
    Locked(DocumentKind),
    #[error("This {} is damaged and cannot be read. Open it in the program that made it, save it again and attach the new file.", .0.noun())]
    Broken(DocumentKind),
    #[error("This {} unpacks to more than can be read. Attach a smaller one, or only the part that matters.", .0.noun())]
    TooMuch(DocumentKind),
    #[error("This {} has no text in it. If it is a scan or a picture of a page, attach the pages as pictures.", .0.noun())]
    NoText(DocumentKind),
    #[error("This file is in an old Office format. Save it as DOCX, XLSX, PPTX or PDF and attach that.")]
    OldOffice,
    #[error("This Office file is locked with a password. Remove the password and attach it again.")]
    LockedOffice,
    #[error(
        "This kind of file cannot be read. Attach text, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF or HTML."
    )]
    Unknown,
}

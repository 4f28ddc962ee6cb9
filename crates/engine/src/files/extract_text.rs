//! The text of a file that was handed in: read once, when it is whole, and kept beside it.
//!
//! THREAT[document-01]: reading costs memory and time, so few are read at once, on threads of their own; no turn and no
//! writer of the store waits for it.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use documents::{Document, DocumentKind, Limits, Unreadable};
use domain::ReadText;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

/// Files that are read at the same time, for everybody in the house.
const AT_ONCE: usize = 2;
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);
/// The text is stored in rows of this size.
const PIECE: usize = 256 << 10;

/// Where the parts of a text begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextOutline {
    pub(crate) chars: u64,
    pub(crate) bytes: u64,
    pub(crate) parts: Vec<OutlinePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutlinePart {
    pub(crate) title: String,
    /// In characters, from the beginning of the text.
    pub(crate) from: u64,
}

impl TextOutline {
    /// How many parts begin before this character.
    pub(crate) fn parts_before(&self, chars: u64) -> u64 {
        self.parts.iter().take_while(|part| part.from < chars).count() as u64
    }
}

/// What became of a file.
pub(crate) struct FileText {
    pub(crate) kind: Option<DocumentKind>,
    pub(crate) told: ReadText,
    /// As it is stored: the outline, then the words. Empty when there are none.
    pub(crate) pieces: Vec<Vec<u8>>,
}

impl Engine {
    /// Reads a file. What cannot be read says why; what is no kind of document at all is refused.
    pub(crate) async fn read_text(&self, bytes: Vec<u8>, name: &str) -> Result<FileText> {
        let (name, limits) = (name.to_owned(), self.inner.settings.files.reading.clone());
        let place = PLACES.acquire().await;
        let work = move || {
            let read = read(&bytes, &name, &limits);
            drop(place);
            read
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Internal)?
    }
}

fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<FileText> {
    let kind = documents::kind(bytes, name);
    match (documents::read(bytes, name, limits), kind) {
        (Ok(document), _) => kept(&document),
        (Err(problem), Some(kind)) => {
            let told = ReadText { problem: Some(problem.to_string()), ..told(kind) };
            Ok(FileText { kind: Some(kind), told, pieces: Vec::new() })
        }
        // What its bytes say besides decides whether it is taken.
        (Err(Unreadable::Unknown), None) => {
            let problem = Some(Unreadable::Unknown.to_string());
            let told = ReadText { noun: "file".to_owned(), problem, ..ReadText::default() };
            Ok(FileText { kind: None, told, pieces: Vec::new() })
        }
        (Err(problem), None) => {
            Err(Error::UnsupportedMedia { code: "unsupported_file", detail: problem.to_string() })
        }
    }
}

fn told(kind: DocumentKind) -> ReadText {
    let word = serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
    ReadText {
        kind: word.unwrap_or_default(),
        noun: kind.noun().to_owned(),
        part: kind.part().map(str::to_owned),
        ..ReadText::default()
    }
}

/// One text of all parts, each under its title, and where each begins.
fn kept(document: &Document) -> Result<FileText> {
    let mut text = String::new();
    let mut outline = TextOutline::default();
    for part in &document.parts {
        if !text.is_empty() {
            text.push_str("\n\n");
            outline.chars += 2;
        }
        let from = outline.chars;
        if let Some(title) = &part.title {
            let heading = format!("[{title}]\n");
            text.push_str(&heading);
            outline.chars += heading.chars().count() as u64;
        }
        text.push_str(&part.text);
        outline.chars += part.text.chars().count() as u64;
        outline.parts.push(OutlinePart { title: part.title.clone().unwrap_or_default(), from });
    }
    outline.bytes = text.len() as u64;
    let told = ReadText {
        parts: outline.parts.len() as u64,
        chars: outline.chars,
        cut: document.cut,
        ..told(document.kind)
    };
    let head = serde_json::to_vec(&outline).map_err(|_| Error::Internal)?;
    let words = text.as_bytes().chunks(PIECE).map(<[u8]>::to_vec);
    Ok(FileText { kind: Some(document.kind), told, pieces: [head].into_iter().chain(words).collect() })
}

#[cfg(test)]
#[path = "extract_text_tests.rs"]
mod tests;

//! Documents: the text of a file, whatever program wrote it.
//!
//! This crate owns the formats: what a file is, told by its bytes ([`kind`]), and the words in it, in parts that have
//! a name (a page, a sheet, a slide, a chapter), so that a reader can say where something stands. It gets bytes and gives
//! text: no I/O, no async, no clock. It runs nothing that a file holds and fetches nothing that a file names: macros,
//! scripts, external entities, links and remote parts are text at most.
//!
//! Start with [`read`], then `kind.rs`, which tells the formats apart, and the file of a format: `text.rs`, `office`,
//! `epub.rs`, `rtf.rs`, `pdf`, `html`.
//!
//! **Invariant:** no file makes a reader fail otherwise than with a sentence for its person ([`Unreadable`]).
//! **Invariant:** what a file costs is bounded by [`Limits`], not by what it claims to hold: THREAT[document-01] bombs.
//! **Invariant:** the same bytes give the same text, however the file is called; a name only tells texts apart.

mod archive;
mod document;
mod epub;
mod guard;
pub mod html;
mod kind;
mod limits;
mod office;
mod pdf;
mod rtf;
mod text;
mod xml;

pub use document::{Document, DocumentPart, Unreadable};
pub use kind::{DocumentKind, kind};
pub use limits::Limits;

use limits::Remaining;

/// Reads a file. `name` is only believed where the bytes leave a choice: a text is code, a table or prose.
pub fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<Document, Unreadable> {
    let kind = kind::kind(bytes, name).ok_or_else(|| kind::refusal(bytes))?;
    guard::guarded(kind, || {
        let mut remaining = Remaining::new(limits);
        let parts = match kind {
            DocumentKind::Pdf => pdf::read(bytes, &mut remaining)?,
            DocumentKind::Word => office::word::read(bytes, &mut remaining)?,
            DocumentKind::Sheet => office::sheet::read(bytes, &mut remaining)?,
            DocumentKind::Slides => office::slides::read(bytes, &mut remaining)?,
            DocumentKind::OpenText | DocumentKind::OpenSheet | DocumentKind::OpenSlides => {
                office::open_document::read(bytes, kind, &mut remaining)?
            }
            DocumentKind::Epub => epub::read(bytes, &mut remaining)?,
            DocumentKind::Rtf => rtf::read(bytes, &mut remaining)?,
            DocumentKind::Html => text::html(bytes, &mut remaining)?,
            DocumentKind::Text
            | DocumentKind::Code
            | DocumentKind::Markdown
            | DocumentKind::Csv
            | DocumentKind::Json => text::read(bytes, &mut remaining)?,
        };
        Document::of(kind, parts, remaining.cut())
    })
}

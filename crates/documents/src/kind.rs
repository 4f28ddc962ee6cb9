//! What a file is, told by its bytes.
//!
//! THREAT[document-02]: a name and a declared type are claims of the sender. A file is read as what it is, or not at all.

use crate::{Unreadable, archive::ZipFile, text};
use serde::{Deserialize, Serialize};

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    Text,
    Code,
    Markdown,
    Csv,
    Json,
    Html,
    Pdf,
    Word,
    Sheet,
    Slides,
    OpenText,
    OpenSheet,
    OpenSlides,
    Epub,
    Rtf,
}

const OFFICE: &str = "application/vnd.openxmlformats-officedocument";
const OPEN: &str = "application/vnd.oasis.opendocument";

impl DocumentKind {
    /// What a person calls such a file.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Code => "code file",
            Self::Markdown => "Markdown file",
            Self::Csv => "CSV table",
            Self::Json => "JSON file",
            Self::Html => "HTML page",
            Self::Pdf => "PDF",
            Self::Word => "Word document",
            Self::Sheet => "Excel workbook",
            Self::Slides => "PowerPoint presentation",
            Self::OpenText => "OpenDocument text",
            Self::OpenSheet => "OpenDocument spreadsheet",
            Self::OpenSlides => "OpenDocument presentation",
            Self::Epub => "EPUB book",
            Self::Rtf => "RTF document",
        }
    }

    /// What one part of it is called; none where a file is one piece.
    pub fn part(self) -> Option<&'static str> {
        match self {
            Self::Pdf => Some("page"),
            Self::Sheet | Self::OpenSheet => Some("sheet"),
            Self::Slides | Self::OpenSlides => Some("slide"),
            Self::Epub => Some("chapter"),
            Self::Word | Self::OpenText => Some("section"),
            _ => None,
        }
    }

    /// Its media type, where the bytes alone decide it.
    pub fn mime_type(self) -> Option<String> {
        match self {
            Self::Pdf => Some("application/pdf".to_owned()),
            Self::Word => Some(format!("{OFFICE}.wordprocessingml.document")),
            Self::Sheet => Some(format!("{OFFICE}.spreadsheetml.sheet")),
            Self::Slides => Some(format!("{OFFICE}.presentationml.presentation")),
            Self::OpenText => Some(format!("{OPEN}.text")),
            Self::OpenSheet => Some(format!("{OPEN}.spreadsheet")),
            Self::OpenSlides => Some(format!("{OPEN}.presentation")),
            Self::Epub => Some("application/epub+zip".to_owned()),
            Self::Rtf => Some("application/rtf".to_owned()),
            Self::Text | Self::Code | Self::Markdown | Self::Csv | Self::Json | Self::Html => None,
        }
    }
}

/// What these bytes are; none when they are nothing that can be read.
pub fn kind(bytes: &[u8], name: &str) -> Option<DocumentKind> {
    let head = bytes.get(..1_024).unwrap_or(bytes);
    if bytes.starts_with(b"PK") {
        return archived(bytes);
    }
    // Readers of PDF look for the mark in the first kilobyte; a text that only speaks of it has it further in a line.
    if head.starts_with(b"%PDF-") || (!text::is_text(bytes) && find(head, b"%PDF-").is_some()) {
        return Some(DocumentKind::Pdf);
    }
    if head.starts_with(b"{\\rtf") {
        return Some(DocumentKind::Rtf);
    }
    text::is_text(bytes).then(|| textual(bytes, name))
}

/// Why something that is no known kind cannot be read.
pub(crate) fn refusal(bytes: &[u8]) -> Unreadable {
    if !bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Unreadable::Unknown;
    }
    let locked: Vec<u8> = "EncryptedPackage".bytes().flat_map(|byte| [byte, 0]).collect();
    if find(bytes, &locked).is_some() { Unreadable::LockedOffice } else { Unreadable::OldOffice }
}

fn archived(bytes: &[u8]) -> Option<DocumentKind> {
    let archive = ZipFile::open(bytes)?;
    if let Some(mime) = archive.stored("mimetype") {
        return match mime.trim_ascii() {
            b"application/epub+zip" => Some(DocumentKind::Epub),
            mime if mime.starts_with(b"application/vnd.oasis.opendocument.text") => {
                Some(DocumentKind::OpenText)
            }
            mime if mime.starts_with(b"application/vnd.oasis.opendocument.spreadsheet") => {
                Some(DocumentKind::OpenSheet)
            }
            mime if mime.starts_with(b"application/vnd.oasis.opendocument.presentation") => {
                Some(DocumentKind::OpenSlides)
            }
            _ => None,
        };
    }
    if !archive.has("[Content_Types].xml") {
        return archive.has("META-INF/container.xml").then_some(DocumentKind::Epub);
    }
    let under = |folder: &str| archive.names().any(|name| name.starts_with(folder));
    match () {
        () if under("word/") => Some(DocumentKind::Word),
        () if under("xl/") => Some(DocumentKind::Sheet),
        () if under("ppt/") => Some(DocumentKind::Slides),
        () => None,
    }
}

const CODE: [&str; 46] = [
    "asm", "bash", "bat", "c", "cc", "clj", "conf", "cpp", "cs", "css", "dart", "diff", "ex", "go", "h",
    "hpp", "hs", "ini", "java", "jl", "js", "jsx", "kt", "lua", "m", "mjs", "patch", "php", "pl", "ps1",
    "py", "r", "rb", "rs", "scala", "sh", "sql", "swift", "tex", "toml", "ts", "tsx", "vue", "xml", "yaml",
    "yml",
];

/// Of texts the name says what they are for, unless they say it themselves.
fn textual(bytes: &[u8], name: &str) -> DocumentKind {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "md" | "markdown" => return DocumentKind::Markdown,
        "csv" | "tsv" | "tab" => return DocumentKind::Csv,
        "json" | "jsonl" | "ndjson" | "geojson" => return DocumentKind::Json,
        ending if CODE.contains(&ending) => return DocumentKind::Code,
        _ => {}
    }
    let head = text::head(bytes);
    let head = head.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).to_ascii_lowercase();
    let page = head.starts_with("<!doctype html") || head.starts_with("<html");
    let page = page || head.starts_with("<?xml") && head.contains("<html");
    match ending.as_str() {
        "html" | "htm" | "xhtml" => DocumentKind::Html,
        _ if page => DocumentKind::Html,
        _ => DocumentKind::Text,
    }
}

pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}

#[cfg(test)]
#[path = "kind_tests.rs"]
mod tests;

//! What a file is, decided by its bytes and by what its sender says: where the two differ, it is refused.
//!
//! THREAT[content-01]: a file that is taken for another type than it is (a script that poses as a picture) becomes
//! dangerous wherever it is shown. So no type is believed that the bytes do not bear out.

use crate::error::{Error, Result};
use documents::DocumentKind;

/// The longest beginning by which a type is told.
const HEAD: usize = 16;

/// Looks at a file while it passes.
#[derive(Default)]
pub(crate) struct Sniffer {
    head: Vec<u8>,
    /// The bytes of a character that is not complete yet.
    partial: Vec<u8>,
    not_text: bool,
}

impl Sniffer {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let missing = HEAD.saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(missing));
        if self.not_text {
            return;
        }
        // A zero byte is valid UTF-8, but no text has one.
        self.not_text = bytes.contains(&0) || !self.goes_on_as_text(bytes);
    }

    fn goes_on_as_text(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !self.partial.is_empty() {
            let Some((next, after)) = rest.split_first() else { return true };
            self.partial.push(*next);
            rest = after;
            match std::str::from_utf8(&self.partial) {
                Ok(_) => self.partial.clear(),
                Err(error) if error.error_len().is_some() => return false,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(rest) {
            Ok(_) => true,
            Err(error) if error.error_len().is_some() => false,
            Err(error) => {
                self.partial = rest.get(error.valid_up_to()..).unwrap_or_default().to_vec();
                true
            }
        }
    }

    /// What the bytes are by themselves; none when they are nothing that is known.
    fn sniffed(&self) -> Option<&'static str> {
        let head = self.head.as_slice();
        if head.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Some("image/png");
        }
        if head.starts_with(b"\xff\xd8\xff") {
            return Some("image/jpeg");
        }
        if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
            return Some("image/gif");
        }
        if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
            return Some("image/webp");
        }
        if head.starts_with(b"%PDF-") {
            return Some("application/pdf");
        }
        (!self.not_text && self.partial.is_empty()).then_some("text/plain")
    }

    /// Is it a picture, as far as its beginning says?
    pub(crate) fn is_picture(&self) -> bool {
        self.sniffed().is_some_and(|kind| kind.starts_with("image/"))
    }

    /// The type of the whole file. `declared` is what its sender says, if anything.
    pub(crate) fn decide(&self, declared: Option<&str>) -> Result<String> {
        decide(declared, self.sniffed())
    }

    /// The same of a file that was read: what it was read as counts.
    pub(crate) fn decide_read(&self, declared: Option<&str>, kind: Option<DocumentKind>) -> Result<String> {
        let Some(kind) = kind else { return self.decide(declared) };
        match (kind.mime_type(), declared.map(essence)) {
            (Some(_), Some(declared)) if kind == DocumentKind::Rtf && declared == "text/rtf" => Ok(declared),
            (found, _) => decide(declared, Some(found.as_deref().unwrap_or("text/plain"))),
        }
    }
}

fn decide(declared: Option<&str>, sniffed: Option<&str>) -> Result<String> {
    let declared = declared.map(essence).filter(|kind| kind != "application/octet-stream");
    match (declared, sniffed) {
        (_, None) => Err(unsupported()),
        (None, Some(kind)) => Ok(kind.to_owned()),
        (Some(kind), Some(found)) if kind == found => Ok(kind),
        (Some(kind), Some("text/plain")) if is_textual(&kind) => Ok(kind),
        (Some(kind), Some(found)) if is_known(&kind) || !is_textual(found) && found != "text/plain" => {
            let detail = format!(
                "The file is declared as {kind}, but it contains {found}. Send it with its real type."
            );
            Err(Error::UnsupportedMedia { code: "type_mismatch", detail })
        }
        _ => Err(unsupported()),
    }
}

/// `type/subtype` in lower case, without parameters.
fn essence(declared: &str) -> String {
    declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Types that any text may have.
fn is_textual(kind: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.+_".contains(&byte);
    let subtype = |rest: &str| !rest.is_empty() && rest.len() <= 60 && rest.bytes().all(plain);
    kind == "application/json" || kind.strip_prefix("text/").is_some_and(subtype)
}

fn is_known(kind: &str) -> bool {
    let images = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    images.contains(&kind) || kind == "application/pdf" || is_textual(kind)
}

fn unsupported() -> Error {
    let detail = "This type of file is not accepted. Send a picture (PNG, JPEG, GIF, WebP), a document (PDF, DOCX, XLSX, PPTX, ODT, ODS, \
         ODP, EPUB, RTF, HTML) or text.";
    Error::UnsupportedMedia { code: "unsupported_file", detail: detail.to_owned() }
}

#[cfg(test)]
#[path = "file_type_tests.rs"]
mod tests;

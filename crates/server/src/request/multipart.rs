//! `multipart/form-data` with exactly one part, a file: bytes in, pieces of the file out, no I/O.
//!
//! It holds no more than the head of the part or one delimiter, however the body is cut and however long it is. More
//! parts than one are refused at the second, so ten thousand of them cost what two do.

use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};
use engine::NewFile;

/// The head of the part: name, file name and type need a fraction of this.
const HEAD_BYTES: usize = 4 << 10;
/// RFC 2046.
const BOUNDARY_BYTES: usize = 70;

/// What the body has said so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The file begins.
    File(Box<Named>),
    Bytes(Vec<u8>),
    /// The file has ended.
    End,
}

/// What the sender says of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) mime_type: Option<String>,
}

impl From<Named> for NewFile {
    fn from(named: Named) -> Self {
        Self { name: named.name, mime_type: named.mime_type }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MultipartPlace {
    Start,
    Head,
    Content,
    /// Behind the delimiter that ends the file.
    After,
    /// Behind everything; what follows is of no interest.
    Over,
}

#[derive(Debug)]
pub(crate) struct Multipart {
    /// `\r\n--boundary`.
    delimiter: Vec<u8>,
    buffer: Vec<u8>,
    place: MultipartPlace,
}

impl Multipart {
    /// THREAT[content-04]: only a body that says that it is a form is read as one; a JSON object that looks like a file
    /// is none.
    pub(crate) fn new(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut values = headers.get_all(header::CONTENT_TYPE).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return Err(wrong_type()) };
        let value = value.to_str().map_err(|_| wrong_type())?;
        let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
        if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
            return Err(wrong_type());
        }
        let boundary = parameter(parameters, "boundary").filter(|boundary| is_boundary(boundary));
        let boundary = boundary.ok_or_else(|| broken("its Content-Type has no usable boundary"))?;
        let delimiter = format!("\r\n--{boundary}").into_bytes();
        // As if a line had ended before the first delimiter: so all delimiters look alike.
        Ok(Self { delimiter, buffer: b"\r\n".to_vec(), place: MultipartPlace::Start })
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, Problem> {
        let mut pieces = Vec::new();
        if self.place == MultipartPlace::Over {
            return Ok(pieces);
        }
        self.buffer.extend_from_slice(bytes);
        loop {
            let before = self.place;
            match self.place {
                MultipartPlace::Start => self.start()?,
                MultipartPlace::Head => pieces.extend(self.head()?.map(|named| Piece::File(Box::new(named)))),
                MultipartPlace::Content => self.content(&mut pieces),
                MultipartPlace::After => self.after()?,
                MultipartPlace::Over => self.buffer.clear(),
            }
            if self.place == before {
                return Ok(pieces);
            }
        }
    }

    /// The body has ended; it must have ended itself before.
    pub(crate) fn finish(&self) -> Result<(), Problem> {
        if self.place == MultipartPlace::Over { Ok(()) } else { Err(broken("it broke off before its end")) }
    }

    fn start(&mut self) -> Result<(), Problem> {
        // The delimiter, then the end of its line.
        let opening = [self.delimiter.as_slice(), b"\r\n"].concat();
        if self.buffer.len() < opening.len() {
            return match opening.starts_with(&self.buffer) {
                true => Ok(()),
                false => Err(no_opening()),
            };
        }
        if !self.buffer.starts_with(&opening) {
            return Err(no_opening());
        }
        self.buffer.drain(..opening.len());
        self.place = MultipartPlace::Head;
        Ok(())
    }

    fn head(&mut self) -> Result<Option<Named>, Problem> {
        let Some(end) = find(&self.buffer, b"\r\n\r\n") else {
            // THREAT[content-05]: a head without an end is not waited for.
            return if self.buffer.len() > HEAD_BYTES {
                Err(broken("the head of its part is too long"))
            } else {
                Ok(None)
            };
        };
        if end > HEAD_BYTES {
            return Err(broken("the head of its part is too long"));
        }
        let head: Vec<u8> = self.buffer.drain(..end.saturating_add(4)).collect();
        let head = std::str::from_utf8(&head).map_err(|_| broken("the head of its part is not UTF-8"))?;
        let named = named(head)?;
        self.place = MultipartPlace::Content;
        Ok(Some(named))
    }

    fn content(&mut self, pieces: &mut Vec<Piece>) {
        let (length, ended) = match find(&self.buffer, &self.delimiter) {
            Some(end) => (end, true),
            // The end of what is there may be the beginning of the delimiter.
            None => (self.buffer.len().saturating_sub(self.delimiter.len().saturating_sub(1)), false),
        };
        if length > 0 {
            pieces.push(Piece::Bytes(self.buffer.drain(..length).collect()));
        }
        if ended {
            self.buffer.drain(..self.delimiter.len());
            self.place = MultipartPlace::After;
            pieces.push(Piece::End);
        }
    }

    fn after(&mut self) -> Result<(), Problem> {
        match self.buffer.get(..2) {
            None => Ok(()),
            Some(b"--") => {
                self.place = MultipartPlace::Over;
                Ok(())
            }
            Some(b"\r\n") => Err(Problem::bad_request(
                "one_file",
                "Send one file at a time, and nothing else in the form.",
            )),
            Some(_) => Err(broken("its parts are not separated by the announced boundary")),
        }
    }
}

/// Where the file is named, and what it is said to be.
fn named(head: &str) -> Result<Named, Problem> {
    let (mut disposition, mut mime_type) = (None, None);
    for line in head.split("\r\n").filter(|line| !line.is_empty()) {
        let (name, value) =
            line.split_once(':').ok_or_else(|| broken("the head of its part has a line without a name"))?;
        let known = match name.trim().to_ascii_lowercase().as_str() {
            "content-disposition" => &mut disposition,
            "content-type" => &mut mime_type,
            "content-transfer-encoding" if !matches!(value.trim(), "binary" | "8bit" | "7bit") => {
                return Err(broken("its part is encoded; send the bytes as they are"));
            }
            _ => continue,
        };
        if known.replace(value.trim().to_owned()).is_some() {
            return Err(broken("the head of its part has a header twice"));
        }
    }
    let disposition = disposition.unwrap_or_default();
    let (kind, parameters) = disposition.split_once(';').unwrap_or((&disposition, ""));
    let name = parameter(parameters, "filename").filter(|_| kind.trim().eq_ignore_ascii_case("form-data"));
    let name = name.ok_or_else(|| {
        let detail = "The form must contain one file with a file name, for instance: curl -F file=@cat.png";
        Problem::bad_request("no_file", detail)
    })?;
    Ok(Named { name, mime_type })
}

/// `name=value` or `name="value"` among others, separated by semicolons.
fn parameter(text: &str, wanted: &str) -> Option<String> {
    let mut rest = text;
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.rsplit(';').next().unwrap_or_default().trim();
        let (value, next) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let (value, next) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_owned(), next)
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = next;
    }
}

/// Up to the closing quote, and what follows it. Browsers write `%22` for a quote, others `\"`; a backslash before
/// anything else is part of a Windows path.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, text.get(at.saturating_add(1)..)?)),
            '\\' if characters.peek().is_some_and(|(_, next)| *next == '"') => {
                value.push('"');
                characters.next();
            }
            other => value.push(other),
        }
    }
    None
}

fn is_boundary(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=BOUNDARY_BYTES).contains(&text.len()) && text.bytes().all(plain) && !text.ends_with(' ')
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

fn wrong_type() -> Problem {
    let detail = "Send the file as a form, with Content-Type: multipart/form-data, for instance: curl -F file=@cat.png";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail)
}

fn no_opening() -> Problem {
    broken("it does not begin with the boundary of its Content-Type")
}

fn broken(why: &str) -> Problem {
    Problem::bad_request("bad_multipart", format!("The form cannot be read: {why}."))
}

#[cfg(test)]
#[path = "multipart_tests.rs"]
mod tests;

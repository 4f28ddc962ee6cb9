//! OpenDocument: texts in parts by their headings, sheets and slides one part each. All three are one `content.xml`.

use super::tidied;
use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    limits::Remaining,
    xml::{Xml, XmlEvent, XmlTag},
};

/// A cell that says it is repeated a million times is shown a few times: spreadsheets fill their empty rest so.
const MOST_REPEATED: usize = 50;

pub(crate) fn read(
    bytes: &[u8],
    kind: DocumentKind,
    remaining: &mut Remaining,
) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(kind))?;
    if let Ok(manifest) = archive.text("META-INF/manifest.xml", remaining)
        && manifest.contains("encryption-data")
    {
        return Err(Unreadable::Locked(kind));
    }
    let text = archive.text("content.xml", remaining).map_err(|error| error.of(kind))?;
    let mut content = OpenContent {
        kind,
        parts: vec![DocumentPart::default()],
        text: String::new(),
        cells: 0,
        repeat: 1,
        cell_from: 0,
    };
    let broken = content.run(&text, remaining);
    content.parts.retain(|part| part.title.is_some() || !part.text.is_empty());
    if broken && content.parts.is_empty() {
        return Err(Unreadable::Broken(kind));
    }
    Ok(content.parts)
}

struct OpenContent {
    kind: DocumentKind,
    parts: Vec<DocumentPart>,
    text: String,
    /// Open cells: in them a paragraph is a line of a cell.
    cells: usize,
    repeat: usize,
    cell_from: usize,
}

impl OpenContent {
    /// Says whether the file broke off.
    fn run(&mut self, text: &str, remaining: &mut Remaining) -> bool {
        let mut xml = Xml::new(text);
        let mut depth = 0_usize;
        let mut heading = None;
        while let Some(event) = xml.next(remaining) {
            match event {
                // What was deleted, what was written beside, and what forms are made of.
                XmlEvent::Open(tag)
                    if matches!(
                        tag.name(),
                        "tracked-changes"
                            | "annotation"
                            | "forms"
                            | "automatic-styles"
                            | "font-face-decls"
                            | "scripts"
                            | "event-listeners"
                            | "binary-data"
                            | "desc"
                            | "title"
                    ) =>
                {
                    xml.skip(remaining);
                }
                XmlEvent::Open(tag) => {
                    if matches!(tag.name(), "p" | "h") {
                        depth += 1;
                        if tag.name() == "h" && self.kind == DocumentKind::OpenText {
                            heading = Some(tag.number("outline-level").unwrap_or(1));
                            self.heading(heading.unwrap_or(1), remaining);
                        }
                    }
                    self.open(&tag, remaining);
                }
                XmlEvent::Words(words) if depth > 0 => remaining.say(&mut self.text, &collapsed(&words)),
                XmlEvent::Words(_) => {}
                XmlEvent::Close(name) => {
                    if matches!(name.as_str(), "p" | "h") {
                        depth = depth.saturating_sub(1);
                        remaining.say(&mut self.text, if self.cells > 0 { " " } else { "\n" });
                    }
                    if name == "h"
                        && let Some(level) = heading.take()
                    {
                        self.named(level);
                    }
                    self.close(&name, remaining);
                }
            }
        }
        self.flush();
        xml.broken
    }

    fn open(&mut self, tag: &XmlTag<'_>, remaining: &mut Remaining) {
        match tag.name() {
            "s" => {
                (0..tag.number("c").unwrap_or(1).min(100)).for_each(|_| remaining.say(&mut self.text, " "))
            }
            "tab" => remaining.say(&mut self.text, "\t"),
            "line-break" => remaining.say(&mut self.text, "\n"),
            "table" if self.kind == DocumentKind::OpenSheet => {
                self.flush();
                self.title(format!("Sheet \"{}\"", tag.get("name").unwrap_or_default()));
            }
            "page" if self.kind == DocumentKind::OpenSlides => {
                self.flush();
                let number = self.parts.iter().filter(|part| part.title.is_some()).count() + 1;
                self.title(format!("Slide {number}"));
            }
            "notes" if self.kind == DocumentKind::OpenSlides => remaining.say(&mut self.text, "\nNotes:\n"),
            "table-cell" | "covered-table-cell" => {
                self.cells += 1;
                self.repeat = tag.number("number-columns-repeated").unwrap_or(1).clamp(1, MOST_REPEATED);
                self.cell_from = self.text.len();
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, remaining: &mut Remaining) {
        let sheet = self.kind == DocumentKind::OpenSheet;
        match name {
            "table-cell" | "covered-table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                let between = if sheet { "\t" } else { "| " };
                let cell = self.text.get(self.cell_from..).unwrap_or_default().trim().to_owned();
                self.text.truncate(self.text.len().min(self.cell_from));
                for _ in 0..std::mem::replace(&mut self.repeat, 1) {
                    remaining.say(&mut self.text, &cell);
                    remaining.say(&mut self.text, between);
                }
            }
            "table-row" => {
                let end = self.text.trim_end_matches(['\t', ' ']).len();
                self.text.truncate(end);
                if !self.text.ends_with('\n') {
                    remaining.say(&mut self.text, "\n");
                }
            }
            "page" | "table" => remaining.say(&mut self.text, "\n"),
            _ => {}
        }
    }

    fn heading(&mut self, level: usize, remaining: &mut Remaining) {
        if level == 1 && self.cells == 0 {
            self.flush();
        }
        remaining.say(&mut self.text, &format!("{} ", "#".repeat(level.clamp(1, 6))));
    }

    /// The heading that has just ended names its part.
    fn named(&mut self, level: usize) {
        if level == 1 && self.cells == 0 {
            let title = self.text.trim().trim_start_matches("# ").chars().take(200).collect();
            self.title(title);
        }
    }

    fn title(&mut self, title: String) {
        if let Some(part) = self.parts.last_mut() {
            part.title = Some(title);
        }
    }

    fn flush(&mut self) {
        let text = tidied(&std::mem::take(&mut self.text));
        self.cell_from = 0;
        let Some(part) = self.parts.last_mut() else { return };
        if text.is_empty() && part.title.is_none() {
            return;
        }
        part.text = text;
        self.parts.push(DocumentPart::default());
    }
}

/// Line breaks of the XML are spaces.
fn collapsed(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut space = false;
    for sign in words.chars() {
        if matches!(sign, ' ' | '\n' | '\r' | '\t') {
            if !space {
                out.push(' ');
            }
            space = true;
        } else {
            out.push(sign);
            space = false;
        }
    }
    out
}

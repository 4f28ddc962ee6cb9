//! DOCX: paragraphs, headings, lists and tables of the body, then notes and comments. Each heading of the first level begins
//! a part.

use super::{main_entry, relations, tidied};
use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    limits::Remaining,
    xml::{Xml, XmlEvent, XmlTag},
};
use std::collections::HashMap;

const KIND: DocumentKind = DocumentKind::Word;

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let main = main_entry(&archive, "word/document.xml", remaining);
    let related = relations(&archive, &main, remaining);
    let styles = related.iter().find(|relation| relation.kind == "styles");
    let headings = styles.and_then(|styles| archive.text(&styles.target, remaining).ok());
    let headings = headings.map(|text| heading_styles(&text, remaining)).unwrap_or_default();
    let text = archive.text(&main, remaining).map_err(|error| error.of(KIND))?;
    let mut body = BodyReader::new(&headings);
    body.run(&text, remaining);
    if body.broken && body.parts.iter().all(|part| part.text.is_empty()) {
        return Err(Unreadable::Broken(KIND));
    }
    let mut parts = body.parts;
    for (kind, title) in [
        ("header", "Header"),
        ("footer", "Footer"),
        ("footnotes", "Footnotes"),
        ("endnotes", "Endnotes"),
        ("comments", "Comments"),
    ] {
        let mut text = String::new();
        for relation in related.iter().filter(|relation| relation.kind == kind) {
            let Ok(xml) = archive.text(&relation.target, remaining) else { continue };
            let mut notes = BodyReader::new(&headings);
            notes.run(&xml, remaining);
            for part in notes.parts {
                if !part.text.is_empty() && !text.contains(&part.text) {
                    text.push_str(&part.text);
                    text.push('\n');
                }
            }
        }
        if !text.trim().is_empty() {
            parts.push(DocumentPart::titled(title, text.trim()));
        }
    }
    Ok(parts)
}

/// Which styles are headings, and of which level: their ids are in the language of the author, their names are not.
fn heading_styles(text: &str, remaining: &mut Remaining) -> HashMap<String, usize> {
    let mut xml = Xml::new(text);
    let mut found = HashMap::new();
    let mut style = None;
    while let Some(event) = xml.next(remaining) {
        let XmlEvent::Open(tag) = event else { continue };
        match tag.name() {
            "style" => style = tag.get("styleId"),
            "name" => {
                let name = tag.get("val").unwrap_or_default().to_ascii_lowercase();
                let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
                let level = if name == "title" { Some(1) } else { level };
                if let (Some(style), Some(level)) = (style.clone(), level) {
                    found.insert(style, level);
                }
            }
            _ => {}
        }
    }
    found
}

/// Reads the body of a document, or its notes or comments.
struct BodyReader<'a> {
    headings: &'a HashMap<String, usize>,
    parts: Vec<DocumentPart>,
    text: String,
    /// The paragraph that is open.
    line: String,
    level: usize,
    listed: bool,
    /// Open tables; in them a paragraph is a line of a cell.
    tables: usize,
    broken: bool,
}

impl<'a> BodyReader<'a> {
    fn new(headings: &'a HashMap<String, usize>) -> Self {
        Self {
            headings,
            parts: vec![DocumentPart::default()],
            text: String::new(),
            line: String::new(),
            level: 0,
            listed: false,
            tables: 0,
            broken: false,
        }
    }

    fn run(&mut self, text: &str, remaining: &mut Remaining) {
        let mut xml = Xml::new(text);
        let mut in_text = false;
        while let Some(event) = xml.next(remaining) {
            match event {
                // What was deleted, what only older programs show again, and what a field is computed from.
                XmlEvent::Open(tag)
                    if matches!(tag.name(), "Fallback" | "moveFrom" | "delText" | "instrText") =>
                {
                    xml.skip(remaining);
                }
                XmlEvent::Open(tag) => {
                    in_text = in_text || tag.name() == "t";
                    self.open(&tag);
                }
                XmlEvent::Words(words) if in_text => self.line.push_str(&words),
                XmlEvent::Words(_) => {}
                XmlEvent::Close(name) => {
                    in_text = in_text && name != "t";
                    self.close(&name, remaining);
                }
            }
        }
        self.broken = xml.broken;
        self.paragraph(remaining);
        self.flush();
        self.parts.retain(|part| part.title.is_some() || !part.text.is_empty());
    }

    fn open(&mut self, tag: &XmlTag<'_>) {
        match tag.name() {
            "pStyle" => {
                let style = tag.get("val").unwrap_or_default();
                self.level = self.headings.get(&style).copied().unwrap_or(0);
            }
            "outlineLvl" if self.tables == 0 => {
                self.level = tag.number("val").filter(|level| *level < 6).map_or(0, |level| level + 1);
            }
            "numId" => self.listed = tag.get("val").is_some_and(|id| id != "0"),
            "tab" if tag.get("pos").is_none() => self.line.push('\t'),
            "br" | "cr" => self.line.push('\n'),
            "noBreakHyphen" => self.line.push('\u{2011}'),
            "sym" => self.line.push('\u{2022}'),
            "tbl" => self.tables += 1,
            _ => {}
        }
    }

    fn close(&mut self, name: &str, remaining: &mut Remaining) {
        match name {
            "p" => self.paragraph(remaining),
            "tc" => remaining.say(&mut self.text, " | "),
            "tr" => remaining.say(&mut self.text, "\n"),
            "tbl" => {
                self.tables = self.tables.saturating_sub(1);
                remaining.say(&mut self.text, "\n");
            }
            _ => {}
        }
    }

    fn paragraph(&mut self, remaining: &mut Remaining) {
        let line = std::mem::take(&mut self.line);
        let (level, listed) = (std::mem::take(&mut self.level), std::mem::take(&mut self.listed));
        let words = line.trim();
        if self.tables > 0 {
            if !words.is_empty() {
                remaining.say(&mut self.text, words);
                remaining.say(&mut self.text, " ");
            }
            return;
        }
        if level == 1 && !words.is_empty() {
            self.flush();
            if let Some(part) = self.parts.last_mut() {
                part.title = Some(words.chars().take(200).collect());
            }
        }
        let mark = match level {
            0 if listed => "- ".to_owned(),
            0 => String::new(),
            level => format!("{} ", "#".repeat(level.min(6))),
        };
        if !words.is_empty() {
            remaining.say(&mut self.text, &mark);
            remaining.say(&mut self.text, line.trim_end());
        }
        remaining.say(&mut self.text, "\n");
    }

    /// Ends the part that is open and begins the next.
    fn flush(&mut self) {
        let text = tidied(&std::mem::take(&mut self.text));
        let Some(part) = self.parts.last_mut() else { return };
        if text.is_empty() && part.title.is_none() {
            return;
        }
        part.text = text;
        self.parts.push(DocumentPart::default());
    }
}

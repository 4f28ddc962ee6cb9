//! XLSX: each sheet is a part, each row a line, cells with a tab between them. Values are the ones that were stored, formulas
//! are not computed.

use super::{by_id, main_entry, relations, sheet_format::Formats};
use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    limits::Remaining,
    xml::{Xml, XmlEvent, XmlTag},
};

const KIND: DocumentKind = DocumentKind::Sheet;
/// Empty cells between two that are not are shown up to this many.
const MOST_GAP: usize = 50;
const MOST_STRINGS: usize = 1_000_000;

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let main = main_entry(&archive, "xl/workbook.xml", remaining);
    let related = relations(&archive, &main, remaining);
    let entry = |kind: &str| related.iter().find(|relation| relation.kind == kind).map(|r| r.target.clone());
    let strings = entry("sharedStrings").and_then(|name| archive.text(&name, remaining).ok());
    let strings = strings.map(|text| Strings::read(&text, remaining)).unwrap_or_default();
    let formats = entry("styles").and_then(|name| archive.text(&name, remaining).ok());
    let workbook = archive.text(&main, remaining).map_err(|error| error.of(KIND))?;
    let formats = Formats::read(formats.as_deref().unwrap_or_default(), &workbook, remaining);
    let related = by_id(related);
    let mut parts = Vec::new();
    for (name, id, hidden) in sheets(&workbook, remaining) {
        let Some(relation) = related.get(&id).filter(|relation| relation.kind == "worksheet") else {
            continue;
        };
        if !remaining.part(parts.len()) {
            break;
        }
        let text = archive.text(&relation.target, remaining).map_err(|error| error.of(KIND))?;
        let title = if hidden { format!("Sheet \"{name}\" (hidden)") } else { format!("Sheet \"{name}\"") };
        let mut rows = Rows { strings: &strings, formats: &formats, out: String::new() };
        rows.run(&text, remaining);
        parts.push(DocumentPart::titled(title, rows.out.trim_end()));
    }
    Ok(parts)
}

fn sheets(workbook: &str, remaining: &mut Remaining) -> Vec<(String, String, bool)> {
    let mut xml = Xml::new(workbook);
    let mut found = Vec::new();
    while let Some(event) = xml.next(remaining) {
        let XmlEvent::Open(tag) = event else { continue };
        if tag.name() == "sheet" {
            let hidden = tag.get("state").is_some_and(|state| state != "visible");
            found.push((tag.get("name").unwrap_or_default(), tag.get("id").unwrap_or_default(), hidden));
        }
    }
    found
}

/// The strings of a workbook, one behind the other.
#[derive(Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    fn read(text: &str, remaining: &mut Remaining) -> Self {
        let mut strings = Self::default();
        let mut xml = Xml::new(text);
        let mut inside = false;
        while let Some(event) = xml.next(remaining) {
            match event {
                // How a word is pronounced.
                XmlEvent::Open(tag) if tag.name() == "rPh" => xml.skip(remaining),
                XmlEvent::Open(tag) if tag.name() == "t" => inside = true,
                XmlEvent::Close(name) if name == "t" => inside = false,
                XmlEvent::Close(name) if name == "si" && strings.ends.len() < MOST_STRINGS => {
                    strings.ends.push(strings.text.len());
                }
                XmlEvent::Words(words) if inside => strings.text.push_str(&words),
                _ => {}
            }
        }
        strings
    }

    fn get(&self, index: usize) -> &str {
        let from = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(index).and_then(|end| self.text.get(from..*end)).unwrap_or_default()
    }
}

struct Rows<'a> {
    strings: &'a Strings,
    formats: &'a Formats,
    out: String,
}

/// A cell while it is read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
}

impl Rows<'_> {
    fn run(&mut self, text: &str, remaining: &mut Remaining) {
        let mut xml = Xml::new(text);
        let (mut cell, mut inside, mut next) = (None::<Cell>, false, 0_usize);
        let mut line = String::new();
        while let Some(event) = xml.next(remaining) {
            match event {
                XmlEvent::Open(tag) => match tag.name() {
                    "row" => (line, next) = (String::new(), 0),
                    "c" => cell = Some(Cell::of(&tag, next)),
                    "v" | "t" => inside = cell.is_some(),
                    "f" | "rPh" | "drawing" | "extLst" => xml.skip(remaining),
                    _ => {}
                },
                XmlEvent::Words(words) if inside => {
                    if let Some(cell) = &mut cell {
                        cell.value.push_str(&words);
                    }
                }
                XmlEvent::Words(_) => {}
                XmlEvent::Close(name) => match name.as_str() {
                    "v" | "t" => inside = false,
                    "c" => {
                        let Some(cell) = cell.take() else { continue };
                        let shown = self.shown(&cell);
                        if !shown.is_empty() {
                            let tabs = cell.column.saturating_sub(next).min(MOST_GAP) + usize::from(next > 0);
                            (0..tabs).for_each(|_| line.push('\t'));
                            line.push_str(&shown);
                            next = cell.column + 1;
                        }
                    }
                    "row" if !line.is_empty() => {
                        line.push('\n');
                        remaining.say(&mut self.out, &line);
                        line.clear();
                    }
                    _ => {}
                },
            }
        }
    }

    fn shown(&self, cell: &Cell) -> String {
        let value = cell.value.trim();
        match cell.kind.as_str() {
            "s" => value.parse().map(|index| one_line(self.strings.get(index))).unwrap_or_default(),
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "" | "n" => self.formats.shown(value, cell.style),
            _ => one_line(&cell.value),
        }
    }
}

impl Cell {
    fn of(tag: &XmlTag<'_>, next: usize) -> Self {
        let column = tag.get("r").and_then(|place| column(&place)).unwrap_or(next);
        let (kind, style) = (tag.get("t").unwrap_or_default(), tag.number("s").unwrap_or(0));
        Self { column, kind, style, value: String::new() }
    }
}

/// The letters of `AB12`, counted from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters.take(4).fold(0_usize, |sum, letter| sum * 26 + usize::from(letter - b'A') + 1);
    number.checked_sub(1)
}

fn one_line(text: &str) -> String {
    text.trim().replace(['\n', '\r', '\t'], " ")
}

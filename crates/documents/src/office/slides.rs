//! PPTX: each slide is a part, with the notes of its speaker below.

use super::{by_id, main_entry, relations, tidied};
use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    limits::Remaining,
    xml::{Xml, XmlEvent},
};

const KIND: DocumentKind = DocumentKind::Slides;

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let main = main_entry(&archive, "ppt/presentation.xml", remaining);
    let related = by_id(relations(&archive, &main, remaining));
    let presentation = archive.text(&main, remaining).map_err(|error| error.of(KIND))?;
    let mut parts = Vec::new();
    for id in slide_ids(&presentation, remaining) {
        let Some(slide) = related.get(&id) else { continue };
        if !remaining.part(parts.len()) {
            break;
        }
        let text = archive.text(&slide.target, remaining).map_err(|error| error.of(KIND))?;
        let mut words = String::new();
        paragraphs(&text, &mut words, false, remaining);
        for notes in relations(&archive, &slide.target, remaining) {
            if notes.kind != "notesSlide" {
                continue;
            }
            let Ok(text) = archive.text(&notes.target, remaining) else { continue };
            let mut said = String::new();
            paragraphs(&text, &mut said, true, remaining);
            if !said.trim().is_empty() {
                words.push_str("\nNotes:\n");
                words.push_str(&said);
            }
        }
        parts.push(DocumentPart::titled(format!("Slide {}", parts.len() + 1), tidied(&words)));
    }
    Ok(parts)
}

fn slide_ids(presentation: &str, remaining: &mut Remaining) -> Vec<String> {
    let mut xml = Xml::new(presentation);
    let mut found = Vec::new();
    while let Some(event) = xml.next(remaining) {
        let XmlEvent::Open(tag) = event else { continue };
        if tag.name() == "sldId" {
            found.extend(tag.full("r:id").or_else(|| tag.get("id")));
        }
    }
    found
}

/// The words of everything on a slide. `notes`: only what the speaker wrote, not the number and the date of the page.
fn paragraphs(text: &str, out: &mut String, notes: bool, remaining: &mut Remaining) {
    let mut xml = Xml::new(text);
    let (mut inside, mut cells, mut silent) = (false, 0_usize, false);
    while let Some(event) = xml.next(remaining) {
        match event {
            XmlEvent::Open(tag) => match tag.name() {
                "Fallback" => xml.skip(remaining),
                "ph" if notes => silent = tag.get("type").is_some_and(|kind| kind != "body"),
                "t" => inside = true,
                "br" => remaining.say(out, "\n"),
                "tc" => cells += 1,
                _ => {}
            },
            XmlEvent::Words(words) if inside && !silent => remaining.say(out, &words),
            XmlEvent::Words(_) => {}
            XmlEvent::Close(name) => match name.as_str() {
                "t" => inside = false,
                "p" if cells > 0 => remaining.say(out, " "),
                "p" => remaining.say(out, "\n"),
                "tc" => {
                    cells = cells.saturating_sub(1);
                    remaining.say(out, "| ");
                }
                "tr" => remaining.say(out, "\n"),
                "sp" => silent = false,
                _ => {}
            },
        }
    }
}

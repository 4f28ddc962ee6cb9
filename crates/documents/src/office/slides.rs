//! PPTX: each slide is a part, with the notes of its speaker below.

use super::{by_id, main_entry, relations, tidied};
use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    purse::Purse,
    xml::{Xml, XmlEvent},
};

const KIND: DocumentKind = DocumentKind::Slides;

pub(crate) fn read(bytes: &[u8], purse: &mut Purse) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let main = main_entry(&archive, "ppt/presentation.xml", purse);
    let related = by_id(relations(&archive, &main, purse));
    let presentation = archive.text(&main, purse).map_err(|error| error.of(KIND))?;
    let mut parts = Vec::new();
    for id in slide_ids(&presentation, purse) {
        let Some(slide) = related.get(&id) else { continue };
        if !purse.part(parts.len()) {
            break;
        }
        let text = archive.text(&slide.target, purse).map_err(|error| error.of(KIND))?;
        let mut words = String::new();
        paragraphs(&text, &mut words, false, purse);
        for notes in relations(&archive, &slide.target, purse) {
            if notes.kind != "notesSlide" {
                continue;
            }
            let Ok(text) = archive.text(&notes.target, purse) else { continue };
            let mut said = String::new();
            paragraphs(&text, &mut said, true, purse);
            if !said.trim().is_empty() {
                words.push_str("\nNotes:\n");
                words.push_str(&said);
            }
        }
        parts.push(DocumentPart::titled(format!("Slide {}", parts.len() + 1), tidied(&words)));
    }
    Ok(parts)
}

fn slide_ids(presentation: &str, purse: &mut Purse) -> Vec<String> {
    let mut xml = Xml::new(presentation);
    let mut found = Vec::new();
    while let Some(event) = xml.next(purse) {
        let XmlEvent::Open(tag) = event else { continue };
        if tag.name() == "sldId" {
            found.extend(tag.full("r:id").or_else(|| tag.get("id")));
        }
    }
    found
}

/// The words of everything on a slide. `notes`: only what the speaker wrote, not the number and the date of the page.
fn paragraphs(text: &str, out: &mut String, notes: bool, purse: &mut Purse) {
    let mut xml = Xml::new(text);
    let (mut inside, mut cells, mut silent) = (false, 0_usize, false);
    while let Some(event) = xml.next(purse) {
        match event {
            XmlEvent::Open(tag) => match tag.name() {
                "Fallback" => xml.skip(purse),
                "ph" if notes => silent = tag.get("type").is_some_and(|kind| kind != "body"),
                "t" => inside = true,
                "br" => purse.say(out, "\n"),
                "tc" => cells += 1,
                _ => {}
            },
            XmlEvent::Words(words) if inside && !silent => purse.say(out, &words),
            XmlEvent::Words(_) => {}
            XmlEvent::Close(name) => match name.as_str() {
                "t" => inside = false,
                "p" if cells > 0 => purse.say(out, " "),
                "p" => purse.say(out, "\n"),
                "tc" => {
                    cells = cells.saturating_sub(1);
                    purse.say(out, "| ");
                }
                "tr" => purse.say(out, "\n"),
                "sp" => silent = false,
                _ => {}
            },
        }
    }
}

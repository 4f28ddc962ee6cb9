//! EPUB: the chapters in the order of the book, each one a page of HTML.

use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::ZipFile,
    html,
    limits::Remaining,
    office::resolved,
    xml::{Xml, XmlEvent},
};
use std::collections::HashMap;

const KIND: DocumentKind = DocumentKind::Epub;

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = ZipFile::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let container = archive.text("META-INF/container.xml", remaining).map_err(|error| error.of(KIND))?;
    let package = root_file(&container, remaining).ok_or(Unreadable::Broken(KIND))?;
    let opf = archive.text(&package, remaining).map_err(|error| error.of(KIND))?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let locked = locked_entries(&archive, remaining);
    let mut parts = Vec::new();
    for entry in chapters(&opf, folder, remaining) {
        if locked.contains(&entry) {
            return Err(Unreadable::Locked(KIND));
        }
        if !remaining.part(parts.len()) {
            break;
        }
        let Ok(page) = archive.text(&entry, remaining) else { continue };
        let mut text = String::new();
        remaining.say(&mut text, &html::text(&page, true));
        let heading = html::heading(&page);
        if text.trim().is_empty() {
            continue;
        }
        let title = heading.unwrap_or_else(|| format!("Chapter {}", parts.len() + 1));
        parts.push(DocumentPart::titled(title, text));
    }
    Ok(parts)
}

fn root_file(container: &str, remaining: &mut Remaining) -> Option<String> {
    let mut xml = Xml::new(container);
    while let Some(event) = xml.next(remaining) {
        match event {
            XmlEvent::Open(tag) if tag.name() == "rootfile" => return tag.get("full-path"),
            _ => {}
        }
    }
    None
}

/// The entries of the spine.
fn chapters(opf: &str, folder: &str, remaining: &mut Remaining) -> Vec<String> {
    let mut xml = Xml::new(opf);
    let (mut items, mut spine) = (HashMap::new(), Vec::new());
    while let Some(event) = xml.next(remaining) {
        let XmlEvent::Open(tag) = event else { continue };
        match tag.name() {
            "item" => {
                if let (Some(id), Some(href)) = (tag.get("id"), tag.get("href")) {
                    items.insert(id, resolved(folder, &unescaped(&href)));
                }
            }
            "itemref" => spine.extend(tag.get("idref")),
            _ => {}
        }
    }
    spine.into_iter().filter_map(|id| items.get(&id).cloned()).collect()
}

/// What a shop has locked. Fonts may be scrambled in a book that is open.
fn locked_entries(archive: &ZipFile<'_>, remaining: &mut Remaining) -> Vec<String> {
    let Ok(text) = archive.text("META-INF/encryption.xml", remaining) else { return Vec::new() };
    let mut xml = Xml::new(&text);
    let mut found = Vec::new();
    while let Some(event) = xml.next(remaining) {
        if let XmlEvent::Open(tag) = event
            && tag.name() == "CipherReference"
        {
            found.extend(tag.get("URI").map(|uri| resolved("", &unescaped(&uri))));
        }
    }
    found
}

/// `%20` and its like.
fn unescaped(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.split('#').next().unwrap_or_default().as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

//! EPUB: the chapters in the order of the book, each one a page of HTML.

use crate::{
    DocumentKind, DocumentPart, Unreadable,
    archive::Archive,
    budget::Budget,
    html,
    office::resolved,
    xml::{Xml, XmlEvent},
};
use std::collections::HashMap;

const KIND: DocumentKind = DocumentKind::Epub;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<DocumentPart>, Unreadable> {
    let archive = Archive::open(bytes).ok_or(Unreadable::Broken(KIND))?;
    let container = archive.text("META-INF/container.xml", budget).map_err(|error| error.of(KIND))?;
    let package = root_file(&container, budget).ok_or(Unreadable::Broken(KIND))?;
    let opf = archive.text(&package, budget).map_err(|error| error.of(KIND))?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let locked = locked_entries(&archive, budget);
    let mut parts = Vec::new();
    for entry in chapters(&opf, folder, budget) {
        if locked.contains(&entry) {
            return Err(Unreadable::Locked(KIND));
        }
        if !budget.part(parts.len()) {
            break;
        }
        let Ok(page) = archive.text(&entry, budget) else { continue };
        let mut text = String::new();
        budget.say(&mut text, &html::text(&page, true));
        let heading = html::heading(&page);
        if text.trim().is_empty() {
            continue;
        }
        let title = heading.unwrap_or_else(|| format!("Chapter {}", parts.len() + 1));
        parts.push(DocumentPart::titled(title, text));
    }
    Ok(parts)
}

fn root_file(container: &str, budget: &mut Budget) -> Option<String> {
    let mut xml = Xml::new(container);
    while let Some(event) = xml.next(budget) {
        match event {
            XmlEvent::Open(tag) if tag.name() == "rootfile" => return tag.get("full-path"),
            _ => {}
        }
    }
    None
}

/// The entries of the spine.
fn chapters(opf: &str, folder: &str, budget: &mut Budget) -> Vec<String> {
    let mut xml = Xml::new(opf);
    let (mut items, mut spine) = (HashMap::new(), Vec::new());
    while let Some(event) = xml.next(budget) {
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
fn locked_entries(archive: &Archive<'_>, budget: &mut Budget) -> Vec<String> {
    let Ok(text) = archive.text("META-INF/encryption.xml", budget) else { return Vec::new() };
    let mut xml = Xml::new(&text);
    let mut found = Vec::new();
    while let Some(event) = xml.next(budget) {
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

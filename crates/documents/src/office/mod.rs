//! Files of office programs: archives of XML. What they have in common is how one entry names another.

pub(crate) mod open_document;
pub(crate) mod sheet;
mod sheet_format;
pub(crate) mod slides;
pub(crate) mod word;

use crate::{
    archive::ZipFile,
    limits::Remaining,
    xml::{Xml, XmlEvent},
};
use std::collections::HashMap;

/// What an entry refers to: its id, the end of its type, and where it is.
pub(crate) struct Relation {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) target: String,
}

/// The relations of an entry. What lies outside of the file is left out: nothing is fetched.
pub(crate) fn relations(archive: &ZipFile<'_>, entry: &str, remaining: &mut Remaining) -> Vec<Relation> {
    let (folder, name) = entry.rsplit_once('/').unwrap_or(("", entry));
    let path =
        if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let Ok(text) = archive.text(&path, remaining) else { return Vec::new() };
    let mut xml = Xml::new(&text);
    let mut found = Vec::new();
    while let Some(event) = xml.next(remaining) {
        let XmlEvent::Open(tag) = event else { continue };
        if tag.name() != "Relationship" || tag.get("TargetMode").as_deref() == Some("External") {
            continue;
        }
        let (Some(id), Some(kind), Some(target)) = (tag.get("Id"), tag.get("Type"), tag.get("Target")) else {
            continue;
        };
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        found.push(Relation { id, kind, target: resolved(folder, &target) });
    }
    found
}

/// A target as a name in the archive.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path.join("/")
}

/// The entry that is the document itself.
pub(crate) fn main_entry(archive: &ZipFile<'_>, usual: &str, remaining: &mut Remaining) -> String {
    let found =
        relations(archive, "", remaining).into_iter().find(|relation| relation.kind == "officeDocument");
    found.map(|relation| relation.target).filter(|name| archive.has(name)).unwrap_or_else(|| usual.to_owned())
}

pub(crate) fn by_id(relations: Vec<Relation>) -> HashMap<String, Relation> {
    relations.into_iter().map(|relation| (relation.id.clone(), relation)).collect()
}

/// Text in lines, with no more than one empty one between two.
pub(crate) fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty > 1 || (line.is_empty() && out.is_empty()) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

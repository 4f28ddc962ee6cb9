//! PDF: the text layer, page by page.
//!
//! The file is read by a reader of our own (ADR 0088): those there are unpack what a file asks them to, without a limit.
//! Start at `file.rs`, which finds objects; `content.rs` runs the operators of a page that show text.

mod cmap;
mod content;
mod crypt;
mod file;
mod filter;
mod font;
mod glyph_names;
mod lines;
mod object;
mod search;

use self::{
    content::Page,
    file::PdfFile,
    font::Font,
    object::{Dict, Object},
};
use crate::{DocumentKind, DocumentPart, Unreadable, purse::Purse};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Nodes of the tree of pages that are no pages.
const MOST_NODES: usize = 50_000;
/// Fonts that are kept between pages.
const KEPT_FONTS: usize = 200;

pub(crate) fn read(bytes: &[u8], purse: &mut Purse) -> Result<Vec<DocumentPart>, Unreadable> {
    let file = PdfFile::open(bytes, purse)?;
    let root = file.root(purse).ok_or(Unreadable::Broken(DocumentKind::Pdf))?;
    let mut fonts = FontShelf::default();
    let mut parts = Vec::new();
    for (page, resources) in pages(&file, root, purse) {
        if !purse.part(parts.len()) {
            break;
        }
        let mut text = String::new();
        let words = Page::new(&file, &mut fonts).text(&page, resources, purse);
        purse.say(&mut text, &words);
        parts.push(DocumentPart::titled(format!("Page {}", parts.len() + 1), text));
    }
    if parts.is_empty() {
        return Err(Unreadable::Broken(DocumentKind::Pdf));
    }
    Ok(parts)
}

/// The pages in order, each with the resources that it has or inherits. A tree that leads back to itself ends there.
fn pages(file: &PdfFile<'_>, root: Dict, purse: &mut Purse) -> Vec<(Dict, Dict)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut nodes = 0;
    // Nodes still to be looked at, the next one last.
    let mut open: Vec<(Object, Dict)> = vec![(Object::Dict(root), Dict::default())];
    while let Some((object, inherited)) = open.pop() {
        if let Object::Ref(number) = object
            && !seen.insert(number)
        {
            continue;
        }
        nodes += 1;
        let object = file.resolve(&object, purse);
        let Some(node) = object.dict().filter(|_| nodes <= MOST_NODES && purse.step()) else { continue };
        let own = file.resolve(node.get("Resources"), purse);
        let resources = own.dict().cloned().unwrap_or(inherited);
        let kids = file.resolve(node.get("Kids"), purse);
        if kids.items().is_empty() || file.resolve(node.get("Type"), purse).is_name("Page") {
            if found.len() > purse.limits.parts {
                purse.leave_out();
                break;
            }
            found.push((node.clone(), resources));
            continue;
        }
        if open.len() + kids.items().len() > MOST_NODES {
            break;
        }
        open.extend(kids.items().iter().rev().map(|kid| (kid.clone(), resources.clone())));
    }
    found
}

/// Fonts that were read already.
#[derive(Default)]
struct FontShelf {
    read: HashMap<u32, Rc<Font>>,
}

impl FontShelf {
    fn get(&mut self, object: &Object, file: &PdfFile<'_>, purse: &mut Purse) -> Option<Rc<Font>> {
        let number = match object {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        if let Some(font) = number.and_then(|number| self.read.get(&number)) {
            return Some(font.clone());
        }
        let dict = file.resolve(object, purse);
        let font = Rc::new(Font::read(dict.dict()?, file, purse));
        if self.read.len() >= KEPT_FONTS {
            self.read.clear();
        }
        self.read.extend(number.map(|number| (number, font.clone())));
        Some(font)
    }
}

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
use crate::{DocumentKind, DocumentPart, Unreadable, limits::Remaining};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Nodes of the tree of pages that are no pages.
const MOST_NODES: usize = 50_000;
/// Fonts that are kept between pages.
const KEPT_FONTS: usize = 200;

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let file = PdfFile::open(bytes, remaining)?;
    let root = file.root(remaining).ok_or(Unreadable::Broken(DocumentKind::Pdf))?;
    let mut fonts = FontShelf::default();
    let mut parts = Vec::new();
    for (page, resources) in pages(&file, root, remaining) {
        if !remaining.part(parts.len()) {
            break;
        }
        let mut text = String::new();
        let words = Page::new(&file, &mut fonts).text(&page, resources, remaining);
        remaining.say(&mut text, &words);
        parts.push(DocumentPart::titled(format!("Page {}", parts.len() + 1), text));
    }
    if parts.is_empty() {
        return Err(Unreadable::Broken(DocumentKind::Pdf));
    }
    Ok(parts)
}

/// The pages in order, each with the resources that it has or inherits. A tree that leads back to itself ends there.
fn pages(file: &PdfFile<'_>, root: Dict, remaining: &mut Remaining) -> Vec<(Dict, Dict)> {
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
        let object = file.resolve(&object, remaining);
        let Some(node) = object.dict().filter(|_| nodes <= MOST_NODES && remaining.step()) else { continue };
        let own = file.resolve(node.get("Resources"), remaining);
        let resources = own.dict().cloned().unwrap_or(inherited);
        let kids = file.resolve(node.get("Kids"), remaining);
        if kids.items().is_empty() || file.resolve(node.get("Type"), remaining).is_name("Page") {
            if found.len() > remaining.limits.parts {
                remaining.leave_out();
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
    fn get(&mut self, object: &Object, file: &PdfFile<'_>, remaining: &mut Remaining) -> Option<Rc<Font>> {
        let number = match object {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        if let Some(font) = number.and_then(|number| self.read.get(&number)) {
            return Some(font.clone());
        }
        let dict = file.resolve(object, remaining);
        let font = Rc::new(Font::read(dict.dict()?, file, remaining));
        if self.read.len() >= KEPT_FONTS {
            self.read.clear();
        }
        self.read.extend(number.map(|number| (number, font.clone())));
        Some(font)
    }
}

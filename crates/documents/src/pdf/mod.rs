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

use self::{
    content::Page,
    file::PdfFile,
    font::Font,
    object::{Dict, Object},
};
use crate::{DocumentKind, DocumentPart, Unreadable, budget::Budget};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Nodes of the tree of pages that are no pages.
const MOST_NODES: usize = 50_000;
/// Fonts that are kept between pages.
const KEPT_FONTS: usize = 200;

pub(crate) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<DocumentPart>, Unreadable> {
    let file = PdfFile::open(bytes, budget)?;
    let root = file.root(budget).ok_or(Unreadable::Broken(DocumentKind::Pdf))?;
    let mut fonts = FontShelf::default();
    let mut parts = Vec::new();
    for (page, resources) in pages(&file, root, budget) {
        if !budget.part(parts.len()) {
            break;
        }
        let mut text = String::new();
        let words = Page::new(&file, &mut fonts).text(&page, resources, budget);
        budget.say(&mut text, &words);
        parts.push(DocumentPart::titled(format!("Page {}", parts.len() + 1), text));
    }
    if parts.is_empty() {
        return Err(Unreadable::Broken(DocumentKind::Pdf));
    }
    Ok(parts)
}

/// The pages in order, each with the resources that it has or inherits. A tree that leads back to itself ends there.
fn pages(file: &PdfFile<'_>, root: Dict, budget: &mut Budget) -> Vec<(Dict, Dict)> {
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
        let object = file.resolve(&object, budget);
        let Some(node) = object.dict().filter(|_| nodes <= MOST_NODES && budget.step()) else { continue };
        let own = file.resolve(node.get("Resources"), budget);
        let resources = own.dict().cloned().unwrap_or(inherited);
        let kids = file.resolve(node.get("Kids"), budget);
        if kids.items().is_empty() || file.resolve(node.get("Type"), budget).is_name("Page") {
            if found.len() > budget.limits.parts {
                budget.leave_out();
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
    fn get(&mut self, object: &Object, file: &PdfFile<'_>, budget: &mut Budget) -> Option<Rc<Font>> {
        let number = match object {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        if let Some(font) = number.and_then(|number| self.read.get(&number)) {
            return Some(font.clone());
        }
        let dict = file.resolve(object, budget);
        let font = Rc::new(Font::read(dict.dict()?, file, budget));
        if self.read.len() >= KEPT_FONTS {
            self.read.clear();
        }
        self.read.extend(number.map(|number| (number, font.clone())));
        Some(font)
    }
}

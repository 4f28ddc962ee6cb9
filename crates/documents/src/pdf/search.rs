//! A PDF whose list leads nowhere: its objects are looked for in the whole file.

use super::{
    file::{PdfFile, Where},
    object::{Dict, Lexer, Object, is_space},
};
use crate::{kind::find, limits::Remaining};

impl PdfFile<'_> {
    /// Looks for every `12 0 obj` in the file, and for trailers. The last one of each counts.
    pub(super) fn search(&mut self, remaining: &mut Remaining) {
        self.places.clear();
        let mut trailer = None;
        let mut catalog = None;
        let mut at = 0;
        while let Some(found) =
            self.bytes.get(at..).and_then(|rest| find(rest, b"obj")).map(|found| at + found)
        {
            at = found + 3;
            if !remaining.steps(4) || self.places.len() > remaining.limits.entries * 100 {
                break;
            }
            let Some((number, begins)) = self.number_before(found) else { continue };
            self.places.insert(number, Where::At(begins));
            let mut lexer = Lexer::new(self.bytes, found + 3);
            lexer.space();
            let rest = self.bytes.get(lexer.at..).unwrap_or_default();
            let near = rest.get(..400).unwrap_or(rest);
            if find(near, b"/Catalog").is_some() || find(near, b"/XRef").is_some() {
                let Some(dict) = lexer.object().and_then(|object| object.dict().cloned()) else { continue };
                if dict.get("Type").is_name("Catalog") {
                    catalog = Some(number);
                } else if !matches!(dict.get("Root"), Object::Null) {
                    trailer = Some(dict);
                }
            }
        }
        let mut at = 0;
        while let Some(found) =
            self.bytes.get(at..).and_then(|rest| find(rest, b"trailer")).map(|found| at + found)
        {
            at = found + 7;
            let dict = Lexer::new(self.bytes, at).object().and_then(|object| object.dict().cloned());
            if let Some(dict) = dict.filter(|dict| !matches!(dict.get("Root"), Object::Null)) {
                trailer = Some(dict);
            }
            if !remaining.steps(100) {
                break;
            }
        }
        self.trailer = trailer.unwrap_or_default();
        if matches!(self.trailer.get("Root"), Object::Null)
            && let Some(number) = catalog
        {
            self.trailer = root_at(number);
        }
    }

    /// `12 0 ` before `obj`: the number, and where it begins.
    fn number_before(&self, obj: usize) -> Option<(u32, usize)> {
        let mut at = obj;
        let mut back = |wanted: fn(u8) -> bool| {
            let end = at;
            while at > 0 && end - at < 12 && self.bytes.get(at - 1).is_some_and(|byte| wanted(*byte)) {
                at -= 1;
            }
            (end > at).then_some(at..end)
        };
        back(is_space)?;
        back(|byte| byte.is_ascii_digit())?;
        back(is_space)?;
        let digits = back(|byte| byte.is_ascii_digit())?;
        let number = std::str::from_utf8(self.bytes.get(digits.clone())?).ok()?.parse().ok()?;
        Some((number, digits.start))
    }

    /// After a search: what lies in streams of objects.
    pub(super) fn search_streams(&mut self, remaining: &mut Remaining) {
        let mut numbers: Vec<u32> = self.places.keys().copied().collect();
        numbers.sort_unstable();
        let mut found = Vec::new();
        for number in numbers {
            let Some(Where::At(at)) = self.places.get(&number).copied() else { continue };
            let near = self.bytes.get(at..).map(|rest| rest.get(..300).unwrap_or(rest)).unwrap_or_default();
            if find(near, b"ObjStm").is_none() || !remaining.steps(100) {
                continue;
            }
            let Some(unpacked) = self.object_stream(number, remaining) else { continue };
            for (place, (inner, _)) in unpacked.list.iter().enumerate() {
                found.push((*inner, Where::In(number, place)));
            }
        }
        for (number, place) in found {
            if self.place(number, place, remaining).is_none() {
                break;
            }
        }
        if self.root(remaining).is_some() {
            return;
        }
        let mut numbers: Vec<u32> = self.places.keys().copied().collect();
        numbers.sort_unstable();
        let catalog = numbers.into_iter().rev().find(|number| {
            let object = self.resolve(&Object::Ref(*number), remaining);
            object.dict().is_some_and(|dict| dict.get("Type").is_name("Catalog"))
        });
        if let Some(number) = catalog {
            self.trailer = root_at(number);
        }
    }
}

fn root_at(number: u32) -> Dict {
    let text = format!("<</Root {number} 0 R>>");
    let dict = Lexer::new(text.as_bytes(), 0).object().and_then(|object| object.dict().cloned());
    dict.unwrap_or_default()
}

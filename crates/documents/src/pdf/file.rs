//! A PDF as a store of objects: where each one lies, read when it is asked for.
//!
//! The list at the end of the file is believed as far as it leads to objects; where it does not, the whole file is
//! searched for them. Nothing is kept but the list and the streams of objects that were unpacked last.

use super::{
    crypt::Crypt,
    filter,
    object::{Dict, Lexer, Object, is_space},
};
use crate::{DocumentKind, Unreadable, kind::find, limits::Remaining};
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

const BROKEN: Unreadable = Unreadable::Broken(DocumentKind::Pdf);
/// References that only lead to references.
const LONGEST_CHAIN: usize = 20;
/// Unpacked streams of objects that are kept.
const KEPT_STREAMS: usize = 4;
const MOST_LISTS: usize = 500;

#[derive(Clone, Copy, Debug)]
pub(super) enum Where {
    At(usize),
    /// In a stream of objects, at a place in its list.
    In(u32, usize),
}

pub(super) struct PdfFile<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) places: HashMap<u32, Where>,
    pub(super) trailer: Dict,
    crypt: Option<Crypt>,
    kept: RefCell<Vec<(u32, Rc<Unpacked>)>>,
}

/// A stream of objects.
pub(super) struct Unpacked {
    data: Vec<u8>,
    /// Each object's number and where it begins.
    pub(super) list: Vec<(u32, usize)>,
}

impl<'a> PdfFile<'a> {
    pub(super) fn open(bytes: &'a [u8], remaining: &mut Remaining) -> Result<Self, Unreadable> {
        // What stands before the mark is not counted by those who wrote the list.
        let from = find(bytes.get(..1_024).unwrap_or(bytes), b"%PDF-").unwrap_or(0);
        let bytes = bytes.get(from..).unwrap_or_default();
        let mut file = Self {
            bytes,
            places: HashMap::new(),
            trailer: Dict::default(),
            crypt: None,
            kept: RefCell::new(Vec::new()),
        };
        let listed = file.read_lists(remaining).is_some();
        if !listed || file.unlock(remaining)?.is_none() || file.root(remaining).is_none() {
            file.search(remaining);
            file.unlock(remaining)?;
            file.search_streams(remaining);
            file.root(remaining).ok_or(BROKEN)?;
        }
        Ok(file)
    }

    /// The tree of pages.
    pub(super) fn root(&self, remaining: &mut Remaining) -> Option<Dict> {
        let root = self.resolve(self.trailer.get("Root"), remaining);
        let pages = self.resolve(root.dict()?.get("Pages"), remaining);
        pages.dict().cloned().filter(|pages| !self.resolve(pages.get("Kids"), remaining).items().is_empty())
    }

    fn unlock(&mut self, remaining: &mut Remaining) -> Result<Option<()>, Unreadable> {
        self.crypt = None;
        let locked = self.resolve(self.trailer.get("Encrypt"), remaining);
        let Some(dict) = locked.dict() else { return Ok(Some(())) };
        let id = self.resolve(self.trailer.get("ID"), remaining);
        let id = id.items().first().and_then(Object::bytes).unwrap_or_default().to_vec();
        let own = match self.trailer.get("Encrypt") {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        let resolved = |object: &Object| self.resolve_plain(object);
        self.crypt =
            Some(Crypt::open(dict, &id, own, resolved).ok_or(Unreadable::Locked(DocumentKind::Pdf))?);
        self.kept.borrow_mut().clear();
        Ok(Some(()))
    }

    /// Follows the lists of the file from its end.
    fn read_lists(&mut self, remaining: &mut Remaining) -> Option<()> {
        let tail = self.bytes.len().saturating_sub(2_048);
        let mark = self.bytes.get(tail..)?.windows(9).rposition(|window| window == b"startxref")? + tail;
        let mut next = Some(Lexer::new(self.bytes, mark + 9).small_number()? as usize);
        let mut seen = HashSet::new();
        let mut first = true;
        while let Some(at) = next.take() {
            if !seen.insert(at) || seen.len() > MOST_LISTS || !remaining.step() {
                break;
            }
            let trailer = self.read_list(at, remaining)?;
            next = trailer.get("Prev").count();
            if let Some(mixed) = trailer.get("XRefStm").count()
                && seen.insert(mixed)
            {
                self.read_list(mixed, remaining);
            }
            if first {
                self.trailer = trailer;
                first = false;
            }
        }
        (!self.places.is_empty() && !first).then_some(())
    }

    fn read_list(&mut self, at: usize, remaining: &mut Remaining) -> Option<Dict> {
        let mut lexer = Lexer::new(self.bytes, at);
        lexer.space();
        if self.bytes.get(lexer.at..)?.starts_with(b"xref") {
            lexer.at += 4;
            return self.read_table(lexer, remaining);
        }
        let (_, object) = self.indirect(at)?;
        let Object::Stream(dict, start) = object else { return None };
        let data = self.unpack(&dict, start, None, remaining)?;
        self.read_packed_list(&dict, &data, remaining)?;
        Some(dict)
    }

    fn read_table(&mut self, mut lexer: Lexer<'a>, remaining: &mut Remaining) -> Option<Dict> {
        loop {
            lexer.space();
            if self.bytes.get(lexer.at..)?.starts_with(b"trailer") {
                lexer.at += 7;
                return lexer.object()?.dict().cloned();
            }
            let (first, count) = (lexer.small_number()?, lexer.small_number()?);
            for number in first..first.saturating_add(count) {
                let (offset, _) = (lexer.small_number()?, lexer.small_number()?);
                lexer.space();
                let used = lexer.peek()? == b'n';
                lexer.at += 1;
                if used && offset > 0 {
                    self.place(number, Where::At(offset as usize), remaining)?;
                }
            }
        }
    }

    fn read_packed_list(&mut self, dict: &Dict, data: &[u8], remaining: &mut Remaining) -> Option<()> {
        let widths: Vec<usize> = dict.get("W").items().iter().filter_map(Object::count).collect();
        let [kind, second, third] = widths.as_slice() else { return None };
        let width = kind + second + third;
        if width == 0 || width > 24 {
            return None;
        }
        let size = dict.get("Size").count()?;
        let index: Vec<usize> = dict.get("Index").items().iter().filter_map(Object::count).collect();
        let index = if index.is_empty() { vec![0, size] } else { index };
        let mut rows = data.chunks_exact(width);
        for pair in index.chunks_exact(2) {
            let [first, count] = pair else { break };
            for number in *first..first.saturating_add(*count) {
                let Some(row) = rows.next() else { return Some(()) };
                let value = |from: usize, width: usize| {
                    row.iter().skip(from).take(width).fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte))
                };
                let place = match if *kind == 0 { 1 } else { value(0, *kind) } {
                    1 => Where::At(value(*kind, *second)),
                    2 => Where::In(u32::try_from(value(*kind, *second)).ok()?, value(kind + second, *third)),
                    _ => continue,
                };
                self.place(u32::try_from(number).ok()?, place, remaining)?;
            }
        }
        Some(())
    }

    /// The newest list comes first; an older one does not replace what it says.
    pub(super) fn place(&mut self, number: u32, place: Where, remaining: &mut Remaining) -> Option<()> {
        if self.places.len() > remaining.limits.entries * 100 || !remaining.step() {
            return None;
        }
        self.places.entry(number).or_insert(place);
        Some(())
    }

    /// The object that begins here.
    fn indirect(&self, at: usize) -> Option<(u32, Object)> {
        let mut lexer = Lexer::new(self.bytes, at);
        lexer.space();
        let number = lexer.small_number()?;
        lexer.small_number()?;
        lexer.space();
        if !self.bytes.get(lexer.at..)?.starts_with(b"obj") {
            return None;
        }
        lexer.at += 3;
        let object = lexer.object()?;
        let Object::Dict(dict) = object else { return Some((number, object)) };
        lexer.space();
        if !self.bytes.get(lexer.at..)?.starts_with(b"stream") {
            return Some((number, Object::Dict(dict)));
        }
        let mut start = lexer.at + 6;
        start += usize::from(self.bytes.get(start) == Some(&b'\r'));
        start += usize::from(self.bytes.get(start) == Some(&b'\n'));
        Some((number, Object::Stream(dict, start)))
    }

    fn get(&self, number: u32, remaining: &mut Remaining) -> Object {
        if !remaining.steps(4) {
            return Object::Null;
        }
        match self.places.get(&number) {
            Some(Where::At(at)) => match self.indirect(*at) {
                Some((found, object)) if found == number => self.opened(number, object),
                _ => Object::Null,
            },
            Some(Where::In(stream, place)) => {
                self.inner(*stream, *place, number, remaining).unwrap_or(Object::Null)
            }
            None => Object::Null,
        }
    }

    /// Strings are locked one by one.
    fn opened(&self, number: u32, object: Object) -> Object {
        match &self.crypt {
            Some(crypt) => crypt.strings(object, number, 0),
            None => object,
        }
    }

    fn inner(&self, stream: u32, place: usize, number: u32, remaining: &mut Remaining) -> Option<Object> {
        let unpacked = self.object_stream(stream, remaining)?;
        let listed = unpacked.list.get(place).filter(|(found, _)| *found == number);
        let listed = listed.or_else(|| unpacked.list.iter().find(|(found, _)| *found == number))?;
        Lexer::new(&unpacked.data, listed.1).object()
    }

    pub(super) fn object_stream(&self, number: u32, remaining: &mut Remaining) -> Option<Rc<Unpacked>> {
        let kept = self.kept.borrow().iter().find(|(kept, _)| *kept == number).map(|(_, data)| data.clone());
        if let Some(unpacked) = kept {
            return Some(unpacked);
        }
        let Some(Where::At(at)) = self.places.get(&number) else { return None };
        let (found, Object::Stream(dict, start)) = self.indirect(*at)? else { return None };
        if found != number {
            return None;
        }
        let data = self.unpack(&dict, start, Some(number), remaining)?;
        let (count, first) = (dict.get("N").count()?, dict.get("First").count()?);
        let mut lexer = Lexer::new(&data, 0);
        let mut list = Vec::new();
        for _ in 0..count.min(data.len() / 2) {
            let (Some(number), Some(at)) = (lexer.small_number(), lexer.small_number()) else { break };
            if !remaining.step() {
                return None;
            }
            list.push((number, first.saturating_add(at as usize)));
        }
        let unpacked = Rc::new(Unpacked { data, list });
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= KEPT_STREAMS {
            kept.remove(0);
        }
        kept.push((number, unpacked.clone()));
        Some(unpacked)
    }

    /// Follows references to something that is none.
    pub(super) fn resolve(&self, object: &Object, remaining: &mut Remaining) -> Object {
        let mut object = object.clone();
        for _ in 0..LONGEST_CHAIN {
            match object {
                Object::Ref(number) => object = self.get(number, remaining),
                other => return other,
            }
        }
        Object::Null
    }

    /// Follows a reference to a number or a name that stands by itself in the file, such as the length of a stream.
    fn resolve_plain(&self, object: &Object) -> Object {
        let Object::Ref(number) = object else { return object.clone() };
        let Some(Where::At(at)) = self.places.get(number) else { return Object::Null };
        match self.indirect(*at) {
            Some((found, object)) if found == *number && !matches!(object, Object::Ref(_)) => object,
            _ => Object::Null,
        }
    }

    /// The bytes of a stream, unlocked and unpacked.
    pub(super) fn stream(&self, object: &Object, remaining: &mut Remaining) -> Option<Vec<u8>> {
        let number = match object {
            Object::Ref(number) => Some(*number),
            _ => None,
        };
        match self.resolve(object, remaining) {
            Object::Stream(dict, start) => self.unpack(&dict, start, number, remaining),
            _ => None,
        }
    }

    fn unpack(
        &self,
        dict: &Dict,
        start: usize,
        number: Option<u32>,
        remaining: &mut Remaining,
    ) -> Option<Vec<u8>> {
        let raw = self.raw(dict, start)?;
        if !remaining.steps(raw.len() as u64 / 64 + 1) || raw.len() > remaining.room() {
            remaining.leave_out();
            return None;
        }
        let raw = match (&self.crypt, number) {
            (Some(crypt), Some(number)) if !dict.get("Type").is_name("XRef") => crypt.stream(raw, number),
            _ => raw.to_vec(),
        };
        let before = remaining.room();
        let unpacked = filter::decode(dict, raw, remaining, |object| self.resolve_plain(object));
        if unpacked.is_none() && before < remaining.limits.entry {
            remaining.leave_out();
        }
        unpacked
    }

    fn raw(&self, dict: &Dict, start: usize) -> Option<&'a [u8]> {
        let rest = self.bytes.get(start..)?;
        if let Some(length) = self.resolve_plain(dict.get("Length")).count() {
            let after = rest.get(length..).unwrap_or_default();
            let mark = after.iter().position(|byte| !is_space(*byte)).unwrap_or(0);
            if after.get(mark..).unwrap_or_default().starts_with(b"endstream") {
                return rest.get(..length);
            }
        }
        // A length that leads elsewhere is not believed.
        let end = find(rest, b"endstream").or_else(|| find(rest, b"endobj")).unwrap_or(rest.len());
        rest.get(..end)
    }
}

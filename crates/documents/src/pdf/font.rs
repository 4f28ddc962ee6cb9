//! A font of a PDF, as far as text needs it: which signs the bytes of a string are, and how wide.

use super::{
    cmap::CodeMap,
    file::PdfFile,
    glyph_names,
    object::{Dict, Object},
};
use crate::limits::Remaining;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE};
use std::{collections::HashMap, rc::Rc};

/// One sign of a string.
pub(super) struct Glyph {
    pub(super) text: Rc<str>,
    /// In thousandths of the size of the font.
    pub(super) width: f64,
    /// It is the single byte 32, which spaces between words are added to.
    pub(super) is_space: bool,
}

pub(super) struct Font {
    kind: FontKind,
    signs: CodeMap,
    widths: HashMap<u32, f64>,
    default_width: f64,
    /// What a unit of width is, for fonts that say it.
    scale: f64,
}

enum FontKind {
    /// One byte per sign.
    Simple(Box<[Rc<str>; 256]>),
    /// Codes by a map in the file.
    Mapped(CodeMap),
    /// Two bytes are the number of the glyph.
    Identity,
    /// The bytes are text in an encoding of East Asia.
    Encoded(&'static Encoding),
}

impl Font {
    pub(super) fn read(dict: &Dict, file: &PdfFile<'_>, remaining: &mut Remaining) -> Self {
        let signs = file.stream(dict.get("ToUnicode"), remaining);
        let signs = signs.map(|text| CodeMap::read(&text, remaining)).unwrap_or_default();
        if file.resolve(dict.get("Subtype"), remaining).is_name("Type0") {
            return Self::composite(dict, signs, file, remaining);
        }
        let first = file.resolve(dict.get("FirstChar"), remaining).count().unwrap_or(0).min(255) as u32;
        let widths = file.resolve(dict.get("Widths"), remaining);
        let widths = (first..=255).zip(widths.items().iter());
        let widths = widths
            .filter_map(|(code, width)| Some((code, file.resolve(width, remaining).number()?)))
            .collect();
        let matrix = file.resolve(dict.get("FontMatrix"), remaining);
        let scale = matrix.items().first().and_then(Object::number).filter(|scale| *scale > 0.0);
        Self {
            kind: FontKind::Simple(Box::new(simple(dict, file, remaining))),
            signs,
            widths,
            default_width: missing_width(dict, file, remaining),
            scale: scale.map_or(1.0, |scale| scale * 1_000.0),
        }
    }

    fn composite(dict: &Dict, signs: CodeMap, file: &PdfFile<'_>, remaining: &mut Remaining) -> Self {
        let encoding = file.resolve(dict.get("Encoding"), remaining);
        let kind = match encoding.name() {
            Some(name) => named(name),
            None => {
                let map =
                    file.stream(dict.get("Encoding"), remaining).map(|text| CodeMap::read(&text, remaining));
                map.filter(|map| map.shortest().is_some()).map_or(FontKind::Identity, FontKind::Mapped)
            }
        };
        let inner = file.resolve(dict.get("DescendantFonts"), remaining);
        let inner = inner.items().first().map(|inner| file.resolve(inner, remaining));
        let inner = inner.as_ref().and_then(Object::dict).cloned().unwrap_or_default();
        let default_width = file.resolve(inner.get("DW"), remaining).number().unwrap_or(1_000.0);
        let widths = wide(&file.resolve(inner.get("W"), remaining), file, remaining);
        Self { kind, signs, widths, default_width, scale: 1.0 }
    }

    /// The signs of a string, one after the other.
    pub(super) fn glyphs(&self, bytes: &[u8]) -> Vec<Glyph> {
        let mut glyphs = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (code, length) = self.next(rest);
            let (taken, after) = rest.split_at(length.clamp(1, rest.len()));
            rest = after;
            let width = self.widths.get(&self.glyph_number(code)).copied().unwrap_or(self.default_width);
            glyphs.push(Glyph {
                text: self.sign(code, taken),
                width: width * self.scale,
                is_space: taken == b" ",
            });
        }
        glyphs
    }

    fn next(&self, bytes: &[u8]) -> (u32, usize) {
        let two = || match bytes {
            [high, low, ..] => (u32::from(*high) << 8 | u32::from(*low), 2),
            [single] => (u32::from(*single), 1),
            [] => (0, 1),
        };
        match &self.kind {
            FontKind::Simple(_) => (u32::from(bytes.first().copied().unwrap_or(0)), 1),
            FontKind::Identity => two(),
            FontKind::Mapped(map) => map.next(bytes).unwrap_or((0, map.shortest().unwrap_or(1))),
            FontKind::Encoded(encoding) if *encoding == UTF_16BE => two(),
            FontKind::Encoded(_) if bytes.first().is_some_and(u8::is_ascii) => (u32::from(bytes[0]), 1),
            FontKind::Encoded(_) => two(),
        }
    }

    fn glyph_number(&self, code: u32) -> u32 {
        match &self.kind {
            FontKind::Mapped(map) => map.glyph(code).unwrap_or(code),
            _ => code,
        }
    }

    fn sign(&self, code: u32, bytes: &[u8]) -> Rc<str> {
        // A map that names a sign of no meaning knows less than the encoding.
        if let Some(sign) = self.signs.sign(code).filter(|sign| !sign.contains('\0')) {
            return sign;
        }
        match &self.kind {
            FontKind::Simple(signs) => signs.get(code as usize).cloned().unwrap_or_default(),
            FontKind::Encoded(encoding) => encoding.decode_without_bom_handling(bytes).0.into(),
            FontKind::Mapped(_) | FontKind::Identity if self.signs.is_empty() => Rc::from("\u{fffd}"),
            FontKind::Mapped(_) | FontKind::Identity => Rc::default(),
        }
    }
}

/// Maps that every reader is said to know. The ones whose codes are text are read as that text.
fn named(name: &[u8]) -> FontKind {
    let name = String::from_utf8_lossy(name);
    let has = |part: &str| name.contains(part);
    match () {
        () if has("UCS2") || has("UTF16") => FontKind::Encoded(UTF_16BE),
        () if has("GBK") || has("GBpc") || has("GB-EUC") => FontKind::Encoded(GBK),
        () if has("RKSJ") => FontKind::Encoded(SHIFT_JIS),
        () if has("B5") => FontKind::Encoded(BIG5),
        () if has("KSC") => FontKind::Encoded(EUC_KR),
        () if name == "EUC-H" || name == "EUC-V" => FontKind::Encoded(EUC_JP),
        () => FontKind::Identity,
    }
}

fn missing_width(dict: &Dict, file: &PdfFile<'_>, remaining: &mut Remaining) -> f64 {
    let descriptor = file.resolve(dict.get("FontDescriptor"), remaining);
    let width = descriptor.dict().map(|dict| file.resolve(dict.get("MissingWidth"), remaining));
    // The fourteen fonts that need no widths are about this wide.
    width.and_then(|width| width.number()).filter(|width| *width > 0.0).unwrap_or(500.0)
}

/// `[1 [500 600] 7 9 400]`
fn wide(widths: &Object, file: &PdfFile<'_>, remaining: &mut Remaining) -> HashMap<u32, f64> {
    let mut found = HashMap::new();
    let items: Vec<Object> = widths.items().iter().map(|item| file.resolve(item, remaining)).collect();
    let mut rest = items.as_slice();
    while let [first, second, after @ ..] = rest {
        let Some(first) = first.count() else { break };
        match (second, after) {
            (Object::Array(list), after) => {
                for (code, width) in (first as u32..).zip(list.iter()) {
                    found.extend(width.number().map(|width| (code, width)));
                }
                rest = after;
            }
            (second, [width, after @ ..]) => {
                let (Some(last), Some(width)) = (second.count(), width.number()) else { break };
                if last.saturating_sub(first) > 70_000 || !remaining.steps(last.saturating_sub(first) as u64)
                {
                    break;
                }
                found.extend((first..=last).map(|code| (code as u32, width)));
                rest = after;
            }
            _ => break,
        }
        if found.len() > 200_000 {
            break;
        }
    }
    found
}

fn simple(dict: &Dict, file: &PdfFile<'_>, remaining: &mut Remaining) -> [Rc<str>; 256] {
    let encoding = file.resolve(dict.get("Encoding"), remaining);
    let name = match &encoding {
        Object::Name(name) => Some(name.to_vec()),
        Object::Dict(dict) => file.resolve(dict.get("BaseEncoding"), remaining).name().map(<[u8]>::to_vec),
        _ => None,
    };
    let base = glyph_names::base(name.as_deref());
    let mut signs: [Rc<str>; 256] = std::array::from_fn(|code| match base(code as u8) {
        Some(sign) => Rc::from(sign.encode_utf8(&mut [0; 4]) as &str),
        None => Rc::default(),
    });
    if name.is_none() {
        for (code, sign) in built_in(dict, file, remaining) {
            signs[usize::from(code)] = sign;
        }
    }
    let differences = encoding.dict().map(|dict| file.resolve(dict.get("Differences"), remaining));
    let mut code = 0_usize;
    for item in differences.as_ref().map(Object::items).unwrap_or_default() {
        match file.resolve(item, remaining) {
            Object::Number(number) => code = number.clamp(0.0, 255.0) as usize,
            Object::Name(name) => {
                if let Some(sign) = signs.get_mut(code) {
                    *sign = glyph_names::sign(&name).unwrap_or_default();
                }
                code += 1;
            }
            _ => {}
        }
    }
    signs
}

/// What a font of the kind Type 1 says in itself: `dup 65 /A put`.
fn built_in(dict: &Dict, file: &PdfFile<'_>, remaining: &mut Remaining) -> Vec<(u8, Rc<str>)> {
    let descriptor = file.resolve(dict.get("FontDescriptor"), remaining);
    let Some(program) = descriptor.dict().and_then(|dict| file.stream(dict.get("FontFile"), remaining))
    else {
        return Vec::new();
    };
    let head = program.get(..40_000).unwrap_or(&program);
    let clear = head.split(|byte| !byte.is_ascii() || *byte == 0).next().unwrap_or_default();
    let text = String::from_utf8_lossy(clear);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for window in words.windows(3) {
        let ["dup", code, name] = window else { continue };
        let (code, name) = match code.split_once('/') {
            Some((code, name)) => (code, name),
            None => (*code, name.trim_start_matches('/')),
        };
        if let (Ok(code), Some(sign)) = (code.parse(), glyph_names::sign(name.as_bytes())) {
            found.push((code, sign));
        }
    }
    found
}

//! The objects of a PDF, and reading them out of bytes.

use std::rc::Rc;

/// How deep arrays and dictionaries may lie in each other.
const DEEPEST: usize = 60;
/// Items of one array or dictionary.
const MOST_ITEMS: usize = 200_000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Text(Rc<[u8]>),
    Name(Rc<[u8]>),
    Array(Rc<[Object]>),
    Dict(Dict),
    /// The number of another object.
    Ref(u32),
    /// A dictionary and where its bytes begin in the file.
    Stream(Dict, usize),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict(Rc<[(Rc<[u8]>, Object)]>);

impl Dict {
    pub(super) fn get(&self, name: &str) -> &Object {
        let found = self.0.iter().find(|(key, _)| key.as_ref() == name.as_bytes());
        found.map_or(&Object::Null, |(_, object)| object)
    }

    /// The same with other values.
    pub(super) fn map(&self, change: impl Fn(&Object) -> Object) -> Self {
        Self(self.0.iter().map(|(key, object)| (key.clone(), change(object))).collect())
    }
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn count(&self) -> Option<usize> {
        self.number().filter(|number| (0.0..4e9).contains(number)).map(|number| number as usize)
    }

    pub(super) fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        self.name() == Some(name.as_bytes())
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> &[Object] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) | Self::Stream(dict, _) => Some(dict),
            _ => None,
        }
    }
}

/// A word of the language: an object, or what is to be done with the ones before it.
pub(super) enum PdfToken {
    Object(Object),
    Keyword(Rc<[u8]>),
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    b"()<>[]{}/%".contains(&byte)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The next object; none where there is none.
    pub(super) fn object(&mut self) -> Option<Object> {
        match self.token_at(0)? {
            PdfToken::Object(object) => Some(object),
            PdfToken::Keyword(_) => None,
        }
    }

    /// The next word of a content stream or a file.
    pub(super) fn token(&mut self) -> Option<PdfToken> {
        self.token_at(0)
    }

    fn token_at(&mut self, depth: usize) -> Option<PdfToken> {
        self.space();
        let object = match self.peek()? {
            b'/' => Object::Name(self.name()),
            b'(' => Object::Text(self.string()),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                return self.dict(depth + 1).map(PdfToken::Object);
            }
            b'<' => Object::Text(self.hex()),
            b'[' => {
                self.at += 1;
                return self.array(depth + 1).map(PdfToken::Object);
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_ref(),
            byte if is_delimiter(byte) => {
                self.at += 1;
                return Some(PdfToken::Keyword(Rc::from([byte])));
            }
            _ => return Some(self.keyword()),
        };
        Some(PdfToken::Object(object))
    }

    fn keyword(&mut self) -> PdfToken {
        let from = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        match self.bytes.get(from..self.at).unwrap_or_default() {
            b"true" => PdfToken::Object(Object::Bool(true)),
            b"false" => PdfToken::Object(Object::Bool(false)),
            b"null" => PdfToken::Object(Object::Null),
            word => PdfToken::Keyword(Rc::from(word)),
        }
    }

    fn name(&mut self) -> Rc<[u8]> {
        self.at += 1;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !is_space(*byte) && !is_delimiter(*byte)) {
            self.at += 1;
            let code = self.bytes.get(self.at..self.at + 2).filter(|_| byte == b'#');
            match code.and_then(|code| Some(digit(*code.first()?)? << 4 | digit(*code.get(1)?)?)) {
                Some(escaped) => {
                    name.push(escaped);
                    self.at += 2;
                }
                None => name.push(byte),
            }
        }
        name.into()
    }

    fn number(&mut self) -> f64 {
        let from = self.at;
        self.at += 1;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-') {
            self.at += 1;
        }
        let text = self.bytes.get(from..self.at).and_then(|text| std::str::from_utf8(text).ok());
        let text = text.unwrap_or_default();
        // `--5` and `5-3` are written by some programs and mean `-5` and `5`.
        let text = text.trim_start_matches('+');
        let (minus, text) = (text.starts_with('-'), text.trim_start_matches('-'));
        let number = text.split('-').next().unwrap_or_default().parse::<f64>().unwrap_or(0.0);
        if minus { -number } else { number }
    }

    fn number_or_ref(&mut self) -> Object {
        let number = self.number();
        if number < 0.0 || number.fract() != 0.0 {
            return Object::Number(number);
        }
        let mut ahead = self.clone();
        if ahead.small_number().is_some()
            && {
                ahead.space();
                ahead.peek() == Some(b'R')
            }
            && ahead.bytes.get(ahead.at + 1).is_none_or(|byte| is_space(*byte) || is_delimiter(*byte))
        {
            self.at = ahead.at + 1;
            return Object::Ref(number as u32);
        }
        Object::Number(number)
    }

    /// A number without a sign or a point, such as those that count objects.
    pub(super) fn small_number(&mut self) -> Option<u32> {
        let mut at = self.at;
        while self.bytes.get(at).is_some_and(|byte| is_space(*byte)) {
            at += 1;
        }
        let digits = self.bytes.get(at..)?.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(self.bytes.get(at..at + digits)?).ok()?;
        let number = text.parse().ok()?;
        self.at = at + digits;
        Some(number)
    }

    fn string(&mut self) -> Rc<[u8]> {
        self.at += 1;
        let (mut text, mut open) = (Vec::new(), 1_usize);
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
            text.push(byte);
        }
        text.into()
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(next) = self.peek().filter(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    code = code * 8 + u32::from(next - b'0');
                    self.at += 1;
                }
                text.push((code & 0xff) as u8);
            }
            other => text.push(other),
        }
    }

    fn hex(&mut self) -> Rc<[u8]> {
        self.at += 1;
        let (mut text, mut half) = (Vec::new(), None);
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = digit(byte) else { continue };
            match half.take() {
                Some(high) => text.push(high << 4 | digit),
                None => half = Some(digit),
            }
        }
        text.extend(half.map(|high| high << 4));
        text.into()
    }

    fn array(&mut self, depth: usize) -> Option<Object> {
        let mut items = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                None => break,
                Some(_) if depth > DEEPEST || items.len() >= MOST_ITEMS => return None,
                Some(_) => {}
            }
            match self.token_at(depth)? {
                PdfToken::Object(object) => items.push(object),
                // An array that was never closed ends where the object ends.
                PdfToken::Keyword(word) if word.starts_with(b"end") => break,
                PdfToken::Keyword(_) => {}
            }
        }
        Some(Object::Array(items.into()))
    }

    fn dict(&mut self, depth: usize) -> Option<Object> {
        let mut entries: Vec<(Rc<[u8]>, Object)> = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'>') => {
                    self.at += 1 + usize::from(self.bytes.get(self.at + 1) == Some(&b'>'));
                    break;
                }
                None => break,
                Some(_) if depth > DEEPEST || entries.len() >= MOST_ITEMS => return None,
                Some(b'/') => {
                    let key = self.name();
                    self.space();
                    if self.peek() == Some(b'>') {
                        continue;
                    }
                    match self.token_at(depth)? {
                        PdfToken::Object(object) => entries.push((key, object)),
                        PdfToken::Keyword(word) if word.starts_with(b"end") => break,
                        PdfToken::Keyword(_) => {}
                    }
                }
                Some(_) => match self.token_at(depth)? {
                    PdfToken::Keyword(word) if word.starts_with(b"end") || word.as_ref() == b"stream" => {
                        break;
                    }
                    _ => {}
                },
            }
        }
        Some(Object::Dict(Dict(entries.into())))
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

//! JSON and JSON5 read byte by byte, so that what can no longer be an argument is known at once.
//!
//! One grammar says both where a value ends and what it is. Only objects and arrays are read at the top: nothing else
//! is an argument.

mod token;

use crate::scan::candidate::begins_character;
use serde_json::{Map, Value};

/// Containers inside each other.
const DEPTH: usize = 64;
/// The longest number or word that is looked at.
const TOKEN: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Json,
    Json5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    More,
    /// The byte was the last one of the value.
    Done,
    /// No value of the dialect begins like this.
    Fail,
}

#[derive(Debug)]
enum Frame {
    Array(Vec<Value>),
    Object(Map<String, Value>, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Text {
        quote: u8,
        key: bool,
    },
    Escape {
        quote: u8,
        key: bool,
    },
    Hex {
        quote: u8,
        key: bool,
        left: u8,
        code: u32,
    },
    /// A number or a word; ends at the first byte that belongs to neither.
    Token,
    Identifier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comment {
    None,
    Slash,
    Line,
    Block,
    BlockStar,
}

#[derive(Debug)]
pub(crate) struct Reader {
    dialect: Dialect,
    state: State,
    comment: Comment,
    stack: Vec<Frame>,
    scratch: Vec<u8>,
    /// The first half of a surrogate pair.
    surrogate: Option<u32>,
    value: Option<Value>,
}

impl Reader {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            state: State::Value,
            comment: Comment::None,
            stack: Vec::new(),
            scratch: Vec::new(),
            surrogate: None,
            value: None,
        }
    }

    pub(crate) fn take(&mut self) -> Value {
        self.value.take().unwrap_or(Value::Null)
    }

    pub(crate) fn step(&mut self, byte: u8) -> Step {
        if self.comment != Comment::None {
            return self.in_comment(byte);
        }
        match self.state {
            State::Text { quote, key } => self.in_text(byte, quote, key),
            State::Escape { quote, key } => self.in_escape(byte, quote, key),
            State::Hex { quote, key, left, code } => self.in_hex(byte, quote, key, left, code),
            State::Token if token::belongs(byte) => self.gather(byte),
            State::Token => match self.end_token() {
                Step::More => self.between(byte),
                other => other,
            },
            State::Identifier if token::is_word(byte) => self.gather(byte),
            State::Identifier => {
                self.end_key();
                self.between(byte)
            }
            _ => self.between(byte),
        }
    }

    fn between(&mut self, byte: u8) -> Step {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Step::More;
        }
        if byte == b'/' && self.dialect == Dialect::Json5 {
            self.comment = Comment::Slash;
            return Step::More;
        }
        match (self.state, byte) {
            (State::ValueOrEnd, b']') | (State::KeyOrEnd, b'}') => self.close(byte),
            (State::Value | State::ValueOrEnd, _) => self.begin_value(byte),
            (State::Key | State::KeyOrEnd, _) => self.begin_key(byte),
            (State::Colon, b':') => self.go(State::Value),
            (State::CommaOrEnd, b',') => self.comma(),
            (State::CommaOrEnd, b']' | b'}') => self.close(byte),
            _ => Step::Fail,
        }
    }

    fn go(&mut self, state: State) -> Step {
        self.state = state;
        Step::More
    }

    fn comma(&mut self) -> Step {
        let trailing = self.dialect == Dialect::Json5;
        match (self.stack.last(), trailing) {
            (Some(Frame::Array(_)), true) => self.go(State::ValueOrEnd),
            (Some(Frame::Array(_)), false) => self.go(State::Value),
            (Some(Frame::Object(..)), true) => self.go(State::KeyOrEnd),
            (Some(Frame::Object(..)), false) => self.go(State::Key),
            (None, _) => Step::Fail,
        }
    }

    fn begin_value(&mut self, byte: u8) -> Step {
        let quotes_single = self.dialect == Dialect::Json5;
        match byte {
            b'{' | b'[' if self.stack.len() >= DEPTH => Step::Fail,
            b'{' => {
                self.stack.push(Frame::Object(Map::new(), String::new()));
                self.go(State::KeyOrEnd)
            }
            b'[' => {
                self.stack.push(Frame::Array(Vec::new()));
                self.go(State::ValueOrEnd)
            }
            _ if self.stack.is_empty() => Step::Fail,
            b'"' => self.begin_text(byte, false),
            b'\'' if quotes_single => self.begin_text(byte, false),
            _ if token::belongs(byte) => {
                self.scratch.clear();
                self.state = State::Token;
                self.gather(byte)
            }
            _ => Step::Fail,
        }
    }

    fn begin_key(&mut self, byte: u8) -> Step {
        let loose = self.dialect == Dialect::Json5;
        match byte {
            b'"' => self.begin_text(byte, true),
            b'\'' if loose => self.begin_text(byte, true),
            _ if loose && token::is_word(byte) && !byte.is_ascii_digit() => {
                self.scratch.clear();
                self.state = State::Identifier;
                self.gather(byte)
            }
            _ => Step::Fail,
        }
    }

    fn begin_text(&mut self, quote: u8, key: bool) -> Step {
        self.scratch.clear();
        self.surrogate = None;
        self.go(State::Text { quote, key })
    }

    fn in_text(&mut self, byte: u8, quote: u8, key: bool) -> Step {
        if byte == b'\\' {
            return self.go(State::Escape { quote, key });
        }
        self.flush_surrogate();
        if byte == quote {
            return self.end_text(key);
        }
        let line_break = matches!(byte, b'\n' | b'\r');
        let forbidden = if self.dialect == Dialect::Json { byte < 0x20 } else { line_break };
        if forbidden {
            return Step::Fail;
        }
        self.scratch.push(byte);
        Step::More
    }

    fn end_text(&mut self, key: bool) -> Step {
        if key {
            self.end_key();
            return Step::More;
        }
        let text = self.scratch_text();
        self.put(Value::String(text))
    }

    /// The bytes come from a `str` and from characters, so nothing is lost here.
    fn scratch_text(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.scratch)).into_owned()
    }

    fn end_key(&mut self) {
        let text = self.scratch_text();
        if let Some(Frame::Object(_, key)) = self.stack.last_mut() {
            *key = text;
        }
        self.state = State::Colon;
    }

    fn in_escape(&mut self, byte: u8, quote: u8, key: bool) -> Step {
        let loose = self.dialect == Dialect::Json5;
        if byte == b'u' || (loose && byte == b'x') {
            let left = if byte == b'u' { 4 } else { 2 };
            return self.go(State::Hex { quote, key, left, code: 0 });
        }
        self.flush_surrogate();
        let character = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' if loose => 11,
            b'0' if loose => 0,
            b'\n' | b'\r' if loose => return self.go(State::Text { quote, key }),
            _ if loose && !byte.is_ascii_digit() => byte,
            _ => return Step::Fail,
        };
        self.scratch.push(character);
        self.go(State::Text { quote, key })
    }

    fn in_hex(&mut self, byte: u8, quote: u8, key: bool, left: u8, code: u32) -> Step {
        let Some(digit) = char::from(byte).to_digit(16) else { return Step::Fail };
        let code = code * 16 + digit;
        if left > 1 {
            return self.go(State::Hex { quote, key, left: left - 1, code });
        }
        self.put_code(code);
        self.go(State::Text { quote, key })
    }

    /// Two halves make one character; half of one alone becomes the replacement character.
    fn put_code(&mut self, code: u32) {
        let pair = self.surrogate.take().map(|high| (high, (0xDC00..0xE000).contains(&code)));
        let code = match pair {
            Some((high, true)) => 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00),
            Some((_, false)) => {
                self.put_character(char::REPLACEMENT_CHARACTER);
                code
            }
            None => code,
        };
        if (0xD800..0xDC00).contains(&code) {
            self.surrogate = Some(code);
        } else {
            self.put_character(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn put_character(&mut self, character: char) {
        self.scratch.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn flush_surrogate(&mut self) {
        if self.surrogate.take().is_some() {
            self.put_character(char::REPLACEMENT_CHARACTER);
        }
    }

    fn gather(&mut self, byte: u8) -> Step {
        self.scratch.push(byte);
        let possible = self.state == State::Identifier || token::may_grow(&self.scratch, self.dialect);
        let too_long = self.scratch.len() > TOKEN && begins_character(byte);
        if possible && !too_long { Step::More } else { Step::Fail }
    }

    fn end_token(&mut self) -> Step {
        let token = self.scratch_text();
        token::read(&token, self.dialect).map_or(Step::Fail, |value| self.put(value))
    }

    fn put(&mut self, value: Value) -> Step {
        match self.stack.last_mut() {
            None => {
                self.value = Some(value);
                return Step::Done;
            }
            Some(Frame::Array(items)) => items.push(value),
            Some(Frame::Object(members, key)) => {
                members.insert(std::mem::take(key), value);
            }
        }
        self.go(State::CommaOrEnd)
    }

    fn close(&mut self, byte: u8) -> Step {
        match (self.stack.pop(), byte) {
            (Some(Frame::Array(items)), b']') => self.put(Value::Array(items)),
            (Some(Frame::Object(members, _)), b'}') => self.put(Value::Object(members)),
            _ => Step::Fail,
        }
    }

    fn in_comment(&mut self, byte: u8) -> Step {
        self.comment = match (self.comment, byte) {
            (Comment::Slash, b'/') => Comment::Line,
            (Comment::Slash, b'*') => Comment::Block,
            (Comment::Slash, _) => return Step::Fail,
            (Comment::Line, b'\n') => Comment::None,
            (Comment::Block | Comment::BlockStar, b'*') => Comment::BlockStar,
            (Comment::BlockStar, b'/') => Comment::None,
            (Comment::BlockStar, _) => Comment::Block,
            (same, _) => same,
        };
        Step::More
    }
}

/// A whole text that is one object or array and nothing else but space.
pub(crate) fn parse(text: &str, dialect: Dialect) -> Option<Value> {
    let mut reader = Reader::new(dialect);
    let mut bytes = text.bytes();
    loop {
        match reader.step(bytes.next()?) {
            Step::More => {}
            Step::Fail => return None,
            Step::Done => break,
        }
    }
    bytes.all(|byte| byte.is_ascii_whitespace()).then(|| reader.take())
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;

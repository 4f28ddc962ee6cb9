//! The attributes of a tag, and the grammar that says where a tag ends.

use crate::entity;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// Attributes of one tag; more are left out, so that looking one up stays cheap.
const MOST: usize = 64;

/// In the order in which they were written; the first of one name counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn to_map(&self) -> Map<String, Value> {
        self.iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
    }

    pub(crate) fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name);
    }

    fn add(&mut self, name: &str, value: String) {
        if self.0.len() < MOST && self.get(name).is_none() {
            self.0.push((name.to_owned(), value));
        }
    }

    /// Reads what stands between the name of a tag and its end, which [`Scan`] has found.
    pub(crate) fn read(text: &str, case: Case) -> Self {
        let mut attributes = Self::default();
        for written in written(text) {
            let value = written.value.map_or_else(|| "true".to_owned(), entity::decode);
            attributes.add(&case.apply(written.name), value);
        }
        attributes
    }
}

/// An attribute as it stands in a tag.
struct WrittenAttribute<'a> {
    name: &'a str,
    value: Option<&'a str>,
    /// How many bytes of the text are left where it begins, and where it ends.
    left: (usize, usize),
}

fn written(text: &str) -> impl Iterator<Item = WrittenAttribute<'_>> {
    let mut rest = after_gap(text);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let begin = rest.len();
        let is_end = |(at, byte): (usize, u8)| at > 0 && (is_space(byte) || matches!(byte, b'=' | b'/'));
        let (name, after) = split(rest, is_end);
        let value_follows = after.trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start);
        let (value, after) = match value_follows {
            None => (None, after),
            Some(value) => {
                let (value, after) = split_value(value);
                (Some(value), after)
            }
        };
        rest = after_gap(after);
        Some(WrittenAttribute { name, value, left: (begin, after.len()) })
    })
}

/// The text of a tag's attributes without those of this name.
pub(crate) fn without(text: &str, name: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for written in written(text).filter(|written| written.name.eq_ignore_ascii_case(name)) {
        let (begin, end) = (text.len() - written.left.0, text.len() - written.left.1);
        let after = text.get(end..).unwrap_or_default().trim_ascii_start();
        // What follows would become the value of what precedes.
        if !after.starts_with('=') {
            kept.push_str(text.get(from..begin).unwrap_or_default());
            from = end;
        }
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn after_gap(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/')
}

fn split(text: &str, is_end: impl Fn((usize, u8)) -> bool) -> (&str, &str) {
    let end = text.bytes().enumerate().position(is_end).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The value at the beginning of `text`, without its quotes, and what follows it.
fn split_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    split(text, |(_, byte)| is_space(byte))
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Whether names are kept as written. Those of an interaction become the members of its payload, so they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Kept,
}

impl Case {
    fn apply(self, name: &str) -> String {
        match self {
            Self::Lower => name.to_ascii_lowercase(),
            Self::Kept => name.to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Name,
    AfterName,
    BeforeValue,
    Unquoted,
    Quoted(u8),
    /// A slash that may be the first half of `/>`.
    Slash,
    /// The same at the end of an unquoted value, of which it is a part if no `>` follows.
    UnquotedSlash,
}

/// Finds the end of a tag, byte by byte, from the end of its name on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeScan {
    More,
    End,
    /// The end of a tag that closes itself.
    SelfClosing,
    /// No tag looks like this.
    NotATag,
}

impl Scan {
    pub(crate) fn step(&mut self, byte: u8) -> AttributeScan {
        use State::{AfterName, BeforeValue, Between, Name, Quoted, Slash, Unquoted, UnquotedSlash};
        let space = is_space(byte);
        self.state = match (self.state, byte) {
            (Quoted(quote), _) if byte == quote => Between,
            (Quoted(quote), _) => Quoted(quote),
            (_, b'<') => return AttributeScan::NotATag,
            (Slash | UnquotedSlash, b'>') => return AttributeScan::SelfClosing,
            (_, b'>') => return AttributeScan::End,
            (BeforeValue, b'"' | b'\'') => Quoted(byte),
            (BeforeValue, _) if space => BeforeValue,
            (Unquoted | UnquotedSlash, _) if space => Between,
            (BeforeValue | Unquoted | UnquotedSlash, b'/') => UnquotedSlash,
            (BeforeValue | Unquoted | UnquotedSlash, _) => Unquoted,
            (Name | AfterName, b'=') => BeforeValue,
            (Between | Name | AfterName | Slash, b'/') => Slash,
            (Name | AfterName, _) if space => AfterName,
            (_, _) if space => Between,
            (_, _) => Name,
        };
        AttributeScan::More
    }
}

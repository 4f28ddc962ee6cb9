//! The configuration as it was written, before it is checked. A section takes its keys out one by one.

use super::setting::{Origin, Setting};
use crate::error::{Error, Result, advised};
use std::collections::BTreeMap;

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Integer(i64),
    Boolean(bool),
    List(Vec<String>),
    /// Keys with values of their own.
    Table(Vec<(String, Value)>),
    /// From the environment, where everything is text and the key decides what it means.
    Word(String),
    /// Something no key takes; the name of its type.
    Other(&'static str),
}

impl Value {
    const fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text in quotes",
            Self::Integer(_) => "a whole number",
            Self::Boolean(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Word(_) => "some other text",
            Self::Other(name) => name,
        }
    }
}

/// `section.key` → what was written there. For providers the section is `provider.NAME`.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    values: BTreeMap<(String, String), Setting<Value>>,
    /// Providers in the order in which they were written, with the place of their heading.
    pub providers: Vec<(String, Origin)>,
}

impl Raw {
    pub fn put(&mut self, section: &str, key: &str, value: Value, origin: Origin) {
        self.values.insert((section.to_owned(), key.to_owned()), Setting { value, origin });
    }

    fn take(&mut self, section: &str, key: &str) -> Option<Setting<Value>> {
        self.values.remove(&(section.to_owned(), key.to_owned()))
    }

    /// As it was written, for keys that take more than one kind of value.
    pub fn value(&mut self, section: &str, key: &str) -> Option<Setting<Value>> {
        self.take(section, key)
    }

    pub fn text(&mut self, section: &str, key: &str) -> Result<Option<Setting<String>>> {
        self.typed(section, key, "a text in quotes", |value| match value {
            Value::Text(text) | Value::Word(text) => Some(text),
            _ => None,
        })
    }

    pub fn boolean(&mut self, section: &str, key: &str) -> Result<Option<Setting<bool>>> {
        self.typed(section, key, "true or false", |value| match value {
            Value::Boolean(boolean) => Some(boolean),
            Value::Word(word) => match word.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Some(true),
                "false" | "0" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        })
    }

    pub fn integer(&mut self, section: &str, key: &str) -> Result<Option<Setting<i64>>> {
        self.typed(section, key, "a whole number", |value| match value {
            Value::Integer(integer) => Some(integer),
            Value::Word(word) => word.trim().parse().ok(),
            _ => None,
        })
    }

    /// In the environment: words with commas between them.
    pub fn list(&mut self, section: &str, key: &str) -> Result<Option<Setting<Vec<String>>>> {
        self.typed(section, key, "a list of texts in quotes", |value| match value {
            Value::List(list) => Some(list),
            Value::Word(word) => {
                let items = word.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(str::to_owned).collect())
            }
            _ => None,
        })
    }

    fn typed<T>(
        &mut self,
        section: &str,
        key: &str,
        wanted: &str,
        convert: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<Setting<T>>> {
        let Some(Setting { value, origin }) = self.take(section, key) else { return Ok(None) };
        let found = value.type_name();
        match convert(value) {
            Some(value) => Ok(Some(Setting { value, origin })),
            None => Err(wrong(&origin, section, key, &format!("must be {wanted}, not {found}"))),
        }
    }
}

/// An error about a key: where it stands, which one, what is wrong with it.
pub fn wrong(origin: &Origin, section: &str, key: &str, problem: &str) -> Error {
    let advice = match origin {
        Origin::File { .. } => "Correct that line. `majordomo doctor` lists all settings.",
        Origin::Variable(_) => "Correct or unset that variable.",
        _ => "Correct it and start again.",
    };
    advised(format!("{origin}: {section}.{key} {problem}."), advice)
}

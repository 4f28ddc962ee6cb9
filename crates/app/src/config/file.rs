//! `majordomo.toml`: text to raw values with their lines.

use super::{
    backup, connections, defaults, egress, limits, log, provider,
    raw::{Raw, Value},
    schedules, search, server,
    setting::Origin,
    spelling::nearest,
    store, telemetry,
};
use crate::error::{Error, Result, advised};
use std::{ops::Range, path::Path};
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

/// The sections with their keys. `[provider.NAME]` stands apart: its names are free.
pub const SECTIONS: &[(&str, &[&str])] = &[
    (server::SECTION, server::KEYS),
    (connections::SECTION, connections::KEYS),
    (store::SECTION, store::KEYS),
    (defaults::SECTION, defaults::KEYS),
    (limits::SECTION, limits::KEYS),
    (schedules::SECTION, schedules::KEYS),
    (backup::SECTION, backup::KEYS),
    (log::SECTION, log::KEYS),
    (telemetry::SECTION, telemetry::KEYS),
    (search::SECTION, search::KEYS),
    (egress::SECTION, egress::KEYS),
];

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

pub fn read(raw: &mut Raw, path: &Path, text: &str) -> Result<()> {
    let source = Source { path, text };
    let document = DeTable::parse(text).map_err(|error| {
        let line = source.line(error.span().unwrap_or_default());
        advised(
            format!("{} line {line}: {}.", path.display(), error.message()),
            "Correct that line. The file is TOML: [section] headings, and key = \"value\" lines below them.",
        )
    })?;
    for (name, value) in document.get_ref() {
        let section = name.get_ref().as_ref();
        if section == provider::SECTION {
            source.providers(raw, value)?;
            continue;
        }
        let Some((_, keys)) = SECTIONS.iter().find(|(known, _)| *known == section) else {
            let known = SECTIONS.iter().map(|(known, _)| *known).chain([provider::SECTION]);
            return Err(source.unknown(name.span(), "section", section, known.collect()));
        };
        source.section(raw, section, keys, value)?;
    }
    // The parser sorts by name; what was written first is meant first.
    raw.providers.sort_by_key(|(_, origin)| match origin {
        Origin::File { line, .. } => *line,
        _ => usize::MAX,
    });
    Ok(())
}

impl Source<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or_default();
        before.bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    fn origin(&self, span: Range<usize>) -> Origin {
        Origin::File { path: self.path.to_owned(), line: self.line(span) }
    }

    fn unknown(&self, span: Range<usize>, what: &str, name: &str, known: Vec<&str>) -> Error {
        let origin = self.origin(span);
        let advice = match nearest(name, known.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Known names are: {}.", known.join(", ")),
        };
        advised(format!("{origin}: There is no {what} `{name}`."), advice)
    }

    fn table<'v, 'i>(&self, name: &str, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>> {
        value.get_ref().as_table().ok_or_else(|| {
            advised(
                format!("{}: `{name}` is a section, not a value.", self.origin(value.span())),
                format!("Write [{name}] on a line of its own, and its keys below."),
            )
        })
    }

    fn section(
        &self,
        raw: &mut Raw,
        section: &str,
        keys: &[&str],
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        for (key, value) in self.table(section, value)? {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                return Err(self.unknown(
                    key.span(),
                    &format!("key in [{section}] called"),
                    name,
                    keys.to_vec(),
                ));
            }
            raw.put(section, name, plain(value.get_ref()), self.origin(key.span()));
        }
        Ok(())
    }

    fn providers(&self, raw: &mut Raw, value: &Spanned<DeValue<'_>>) -> Result<()> {
        for (name, value) in self.table("provider.NAME", value)? {
            let (text, origin) = (name.get_ref().as_ref(), self.origin(name.span()));
            provider::check_name(text, &origin)?;
            let section = format!("{}.{text}", provider::SECTION);
            self.section(raw, &section, provider::KEYS, value)?;
            raw.providers.push((text.to_owned(), origin));
        }
        Ok(())
    }
}

fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Integer(integer) => {
            number(integer).map_or(Value::Other("a number that is too large"), Value::Integer)
        }
        DeValue::Array(items) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
            texts.map_or(Value::Other("a list of other values"), Value::List)
        }
        DeValue::Float(_) => Value::Other("a fraction"),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Table(table) => {
            let entries = table.iter();
            Value::Table(
                entries.map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect(),
            )
        }
    }
}

fn number(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

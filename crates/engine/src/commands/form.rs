//! How a command is written, and how what was written becomes arguments.

use crate::commands::{About, line::Words};
use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One way to write a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Form {
    /// With the slash.
    pub usage: &'static str,
    pub description: &'static str,
    /// The word that chooses it; empty for what the command does when none is given.
    #[serde(skip)]
    pub(crate) action: &'static str,
    /// The arguments that its words are, in their order; each may be left out.
    #[serde(skip)]
    pub(crate) words: &'static [&'static str],
    /// The argument that is everything behind them.
    #[serde(skip)]
    pub(crate) rest: Option<&'static str>,
    /// The arguments that are written `name=value`, before or after the others.
    #[serde(skip)]
    pub(crate) named: &'static [&'static str],
}

impl Form {
    pub(crate) const fn new(usage: &'static str, action: &'static str, description: &'static str) -> Self {
        Self { usage, description, action, words: &[], rest: None, named: &[] }
    }

    pub(crate) const fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    pub(crate) const fn rest(self, rest: &'static str) -> Self {
        Self { rest: Some(rest), ..self }
    }

    pub(crate) const fn named(self, named: &'static [&'static str]) -> Self {
        Self { named, ..self }
    }
}

/// The arguments of a command, from what stands behind its name. Their values are text; the action is among them.
pub(super) fn arguments(about: &About, words: &mut Words<'_>) -> Result<Value> {
    let form = choose(about, words)?;
    let mut found = Map::new();
    if !form.action.is_empty() {
        found.insert("action".to_owned(), form.action.into());
    }
    let mut places = form.words.iter();
    while !words.is_empty() {
        let rest = form.rest.filter(|_| places.len() == 0 && !words.begin_with(form.named));
        let (name, value) = match rest {
            Some(rest) => (rest.to_owned(), words.remainder().map_err(|problem| misuse(about, &problem))?),
            None => {
                let word = words.next().map_err(|problem| misuse(about, &problem))?.unwrap_or_default();
                let named = word.split_once('=').filter(|(name, _)| form.named.contains(name));
                if let Some((name, value)) = named {
                    (name.to_owned(), value.to_owned())
                } else if let Some(name) = places.next() {
                    ((*name).to_owned(), word)
                } else {
                    return Err(misuse(about, &format!("{:?} is one word too many", short(&word))));
                }
            }
        };
        if found.contains_key(&name) {
            return Err(misuse(about, &format!("{name} is given twice")));
        }
        found.insert(name, value.into());
    }
    Ok(Value::Object(found))
}

/// By the first word, which is taken away; without one that names an action, the form that has none.
fn choose(about: &About, words: &mut Words<'_>) -> Result<&'static Form> {
    let plain = about.forms.iter().find(|form| form.action.is_empty());
    // Where no word chooses, the first one is a person's own, and may have an apostrophe.
    if let Some(form) = plain.filter(|_| about.forms.iter().all(|form| form.action.is_empty())) {
        return Ok(form);
    }
    let mut ahead = words.clone();
    let first = ahead.next().map_err(|problem| misuse(about, &problem))?;
    let chosen = first.as_ref().and_then(|word| {
        about.forms.iter().find(|form| !form.action.is_empty() && form.action.eq_ignore_ascii_case(word))
    });
    if let Some(form) = chosen {
        *words = ahead;
        return Ok(form);
    }
    match (plain, first) {
        (Some(form), _) => Ok(form),
        (None, None) => Err(misuse(about, "an action is missing")),
        (None, Some(word)) => Err(misuse(about, &format!("there is no action {:?}", short(&word)))),
    }
}

/// For the person or the agent that wrote it wrongly: what is wrong, and how it is written.
pub(super) fn misuse(about: &About, problem: &str) -> Error {
    let usages: Vec<&str> = about.forms.iter().map(|form| form.usage).collect();
    Error::invalid(
        "bad_command",
        format!("/{}: {problem}. Write it like this: {}", about.name, usages.join(" · ")),
    )
}

fn short(word: &str) -> String {
    word.chars().take(40).collect()
}

//! Processes in a prompt: those that a session begins with, and those that a person calls for by `!!NAME!!`.
//!
//! Both are filled in with the time of what they belong to, the session or the message, so that what a model was told
//! once stays the same in every later call.

use capability::{Resolved, TemplateError, Values};
use domain::{Integrity, Message, MessageKind, Role, TurnError};

const FAILED: &str = "ability_failed";
const INITIALIZATION: &str = "[System Initialization]";
const REFRESH: &str = "[System Initialization - Refresh]";
const BETWEEN: &str = "\n\n---\n\n";
/// Of one message.
const MACROS: usize = 20;
const EXPANDED_BYTES: usize = 512 << 10;

/// An ability that did not do its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub ability: String,
    pub problem: String,
}

impl Trouble {
    pub(crate) fn new(ability: &str, problem: impl ToString) -> Self {
        Self { ability: ability.to_owned(), problem: problem.to_string() }
    }

    pub fn words(&self) -> String {
        format!("The ability {} was left out: {}.", self.ability, self.problem)
    }

    /// As the log of the session tells it. The turn goes on, so there is nothing to retry.
    pub fn error(&self) -> TurnError {
        TurnError { code: FAILED.to_owned(), message: self.words(), retryable: false }
    }
}

/// What a session begins with; none when the agent lists nothing of the kind.
pub(crate) fn startup(resolved: &Resolved, values: &Values, troubles: &mut Vec<Trouble>) -> Option<String> {
    told(INITIALIZATION, resolved, values, troubles)
}

/// The same once more, as a message.
pub fn refresh(resolved: &Resolved, values: &Values) -> Option<String> {
    told(REFRESH, resolved, values, &mut Vec::new())
}

fn told(header: &str, resolved: &Resolved, values: &Values, troubles: &mut Vec<Trouble>) -> Option<String> {
    let mut texts = Vec::new();
    for process in resolved.startup() {
        match process.render(values) {
            Ok(text) => texts.push(text.trim().to_owned()),
            Err(error) => troubles.push(Trouble::new(&process.name, error)),
        }
    }
    texts.retain(|text| !text.is_empty());
    (!texts.is_empty()).then(|| format!("{header}\n\n{}", texts.join(BETWEEN)))
}

/// Puts the words of a process where a person named it. What is stored keeps the name.
///
/// THREAT[abilities-03]: only what people of the house said themselves calls for something, and only for what the agent
/// lists.
pub(crate) fn expand(
    messages: &mut [Message],
    resolved: &Resolved,
    (values, time_zone): (&Values, &str),
    troubles: &mut Vec<Trouble>,
) {
    if resolved.processes.is_empty() {
        return;
    }
    let calls = |message: &&mut Message| {
        message.role == Role::User
            && message.label.integrity == Integrity::Trusted
            && message.asker.is_none()
            && message.meta.kind != Some(MessageKind::Answer)
            && message.content.contains("!!")
    };
    for message in messages.iter_mut().filter(calls) {
        let values = values.clone().set_at(message.created_at, time_zone);
        message.content = expanded(&message.content, resolved, &values, troubles);
    }
}

fn expanded(text: &str, resolved: &Resolved, values: &Values, troubles: &mut Vec<Trouble>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = 0;
    while let Some((before, name, after)) = next_macro(rest) {
        let rendered = resolved.process(&name.to_lowercase()).filter(|_| found < MACROS).map(|process| {
            let rendered: Result<String, TemplateError> = process.render(values);
            rendered.map_err(|error| troubles.push(Trouble::new(&process.name, error)))
        });
        match rendered {
            // A message without words would be none.
            Some(Ok(words)) if fits(&made, &words) => {
                found += 1;
                made.push_str(before);
                made.push_str(words.trim());
                rest = after;
            }
            // As it was written; the second pair of marks may begin another name.
            _ => {
                let kept = before.len() + 2 + name.len();
                made.push_str(rest.get(..kept).unwrap_or(rest));
                rest = rest.get(kept..).unwrap_or_default();
            }
        }
    }
    made.push_str(rest);
    made
}

fn fits(made: &str, words: &str) -> bool {
    !words.trim().is_empty() && made.len().saturating_add(words.len()) <= EXPANDED_BYTES
}

/// What stands before, the name between the marks, what stands behind.
fn next_macro(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find("!!").map(|at| from + at) {
        let inner = text.get(at + 2..)?;
        let is_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        let length = inner.bytes().take_while(|byte| is_name(byte)).count();
        if length > 0 && inner.get(length..)?.starts_with("!!") {
            return Some((text.get(..at)?, inner.get(..length)?, inner.get(length + 2..)?));
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
#[path = "processes_tests.rs"]
mod tests;

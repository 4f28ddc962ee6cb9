//! `attachments`: the files that came with messages, beyond what the messages show of them.

use crate::{Capability, CapabilityInfo, Port, SentFile, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use domain::{EffectClass, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a file in one answer.
const EXCERPT: u64 = 14_000;
/// Characters of one answer as JSON. The middle of a longer one would be left out, and `next_offset` would skip what the model has not seen.
const ANSWER: usize = 15_000;
const LONGEST_WORDS: usize = 200;
const MOST_PLACES: usize = 20;
/// Characters around a place that was found.
const AROUND: usize = 120;
/// Parts that one answer names, and the characters of their titles.
const MOST_PARTS: usize = 200;
const TITLES: usize = 3_000;

pub struct AttachedFiles;

impl Capability for AttachedFiles {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "attachments",
            "Attachments",
            "Reads the rest of attached files, where the message shows only their beginning.",
        )
        .shown_as("paperclip", "File Operations")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(ReadAttachment)]
    }
}

struct ReadAttachment;

#[async_trait]
impl Tool for ReadAttachment {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({
            "type": "object",
            "properties": {
                "file": { "type": "string", "description": "The name of the file, as the message names it." },
                "part": { "type": "integer", "minimum": 1, "description": "Read from this page, sheet, slide or chapter on." },
                "offset": { "type": "integer", "minimum": 0, "description": "Read from this character on." },
                "find": { "type": "string", "description": "Instead of reading, say where these words stand." }
            },
            "required": ["file"],
            "additionalProperties": false
        });
        ToolSpec {
            name: "read_attachment".to_owned(),
            description: "Read more of an attached file, or find words in it.".to_owned(),
            parameters,
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Attachments]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let port = context.ports.attachments()?;
        let name = arguments::text(&arguments, "file", 300)?;
        let Some(file) = port.find(name).await? else {
            let names = port.names().await?;
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(ToolError::failed(format!("no such file; the files of this conversation: {known}")));
        };
        if let Some(problem) = &file.text.problem {
            return Err(ToolError::failed(problem.clone()));
        }
        if let Some(words) = arguments::optional_text(&arguments, "find")? {
            let text = port.excerpt(file.id, 0, file.text.chars).await?;
            return found(&file, &text, words);
        }
        let from = beginning(&file, &arguments)?;
        let text = port.excerpt(file.id, from, EXCERPT).await?;
        Ok(excerpt(&file, from, &text))
    }
}

/// Where to read from: the first of the file where nothing is said.
fn beginning(file: &SentFile, arguments: &Value) -> Result<u64, ToolError> {
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let Some(part) = number("part") else { return Ok(number("offset").unwrap_or(0)) };
    let index = usize::try_from(part.saturating_sub(1)).unwrap_or(usize::MAX);
    match file.parts.get(index) {
        Some((_, from)) => Ok(from.saturating_add(number("offset").unwrap_or(0))),
        None => Err(ToolError::failed(format!("part: the file has {} parts", file.parts.len()))),
    }
}

fn excerpt(file: &SentFile, from: u64, text: &str) -> Value {
    let mut answer = json!({ "file": file.name, "kind": file.text.noun, "offset": from, "characters": file.text.chars, "next_offset": u64::MAX });
    if file.parts.len() > 1 {
        answer["part"] = json!(part_at(file, from));
        answer["parts"] = json!(file.parts.len());
        // Pages have no titles but their numbers.
        if from == 0 && file.text.part.as_deref() != Some("page") {
            answer["titles"] = json!(titles(file));
        }
    }
    let text = beginning_of(text, ANSWER.saturating_sub(answer.to_string().chars().count()));
    let next = from.saturating_add(text.chars().count() as u64);
    answer["next_offset"] = json!(next);
    if next >= file.text.chars {
        answer.as_object_mut().map(|members| members.remove("next_offset"));
    }
    answer["text"] = json!(text);
    answer
}

fn titles(file: &SentFile) -> Vec<&str> {
    let mut left = TITLES;
    let mut fits = |title: &&str| {
        let fits = left.checked_sub(title.chars().map(written).sum());
        left = fits.unwrap_or(0);
        fits.is_some()
    };
    file.parts
        .iter()
        .take(MOST_PARTS)
        .map(|(title, _)| title.as_str())
        .take_while(|title| fits(title))
        .collect()
}

/// As much of a text as has so many characters when it is written as JSON.
fn beginning_of(text: &str, most: usize) -> &str {
    let mut length = 0;
    let end = text.char_indices().find(|(_, sign)| {
        length += written(*sign);
        length > most
    });
    end.map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// How many characters JSON has for one.
const fn written(sign: char) -> usize {
    match sign {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// The part that a character is in, counted from 1.
fn part_at(file: &SentFile, at: u64) -> usize {
    file.parts.partition_point(|(_, from)| *from <= at).max(1)
}

fn found(file: &SentFile, text: &str, words: &str) -> Result<Value, ToolError> {
    let words = words.trim();
    if words.is_empty() || words.len() > LONGEST_WORDS {
        return Err(ToolError::failed("find: give one to two hundred characters"));
    }
    // One sign in lower case for each sign, so that places stay what they are.
    let lower = |text: &str| -> Vec<char> {
        text.chars().map(|sign| sign.to_lowercase().next().unwrap_or(sign)).collect()
    };
    let (signs, low, wanted): (Vec<char>, _, _) = (text.chars().collect(), lower(text), lower(words));
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(next) = position(low.get(at..).unwrap_or_default(), &wanted).map(|next| at + next) {
        let from = next.saturating_sub(AROUND);
        let until = (next + wanted.len() + AROUND).min(signs.len());
        let around: String = signs.get(from..until).unwrap_or_default().iter().collect();
        places.push(json!({ "offset": next, "part": part_at(file, next as u64), "text": around }));
        at = next + wanted.len();
        if places.len() >= MOST_PLACES {
            break;
        }
    }
    Ok(json!({ "file": file.name, "find": words, "places": places }))
}

fn position(signs: &[char], wanted: &[char]) -> Option<usize> {
    signs.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
#[path = "attachments_tests.rs"]
mod tests;

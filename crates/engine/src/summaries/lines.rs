//! A conversation as lines of text, for a model that is to summarise it and not to take part in it.

use domain::{Message, MessageKind, Part, Role};
use serde_json::Value;
use std::fmt::Write as _;

/// One piece has at most this many bytes: head and tail are kept.
const PIECE: usize = 8_000;

pub(super) fn of<'a>(messages: impl Iterator<Item = &'a Message>) -> String {
    let mut text = String::new();
    for message in messages {
        match message.role {
            // The agent has it as the result of its call.
            Role::User if message.meta.kind == Some(MessageKind::Answer) => {}
            Role::User => {
                say(&mut text, "User", &message.content);
                message.images().for_each(|_| say(&mut text, "User", "[a picture]"));
                message
                    .files()
                    .for_each(|file| say(&mut text, "User", &format!("[the file {}]", one_line(&file.name))));
            }
            Role::System if message.meta.kind == Some(MessageKind::Reminder) => {
                say(&mut text, "Server", &message.told_reminder().unwrap_or_default());
            }
            Role::System => say(&mut text, "System", &message.content),
            // What the program itself said about a limit or a failure is for people.
            Role::Assistant if matches!(message.meta.kind, Some(MessageKind::Error | MessageKind::Limit)) => {
            }
            Role::Assistant => {
                say(&mut text, "Assistant", &message.content);
                for (_, name, arguments) in message.calls() {
                    say(&mut text, &format!("Assistant called {}", one_line(name)), &called(arguments));
                }
            }
            Role::Tool => result(&mut text, message),
        }
    }
    text
}

fn result(text: &mut String, message: &Message) {
    for part in &message.parts {
        if let Part::Result { name, content, .. } = part {
            say(text, &format!("Tool result ({})", one_line(name)), content);
        }
    }
}

/// THREAT[prompt-04]: words that look like a line of somebody else, or like the end of the conversation, stay within their
/// own line: everything behind its first line is indented, and the brackets of the frame cannot be written.
fn say(text: &mut String, who: &str, words: &str) {
    let words = words.trim();
    if words.is_empty() {
        return;
    }
    let separator = if who.starts_with("Assistant called") { "" } else { ": " };
    let words = framed(&shortened(words)).replace('\n', "\n  ");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{who}{separator}{words}");
}

/// The same words, without anything that could close the frame around them.
pub(super) fn framed(words: &str) -> String {
    words.replace("</", "<\u{2215}")
}

/// `(k="v", n=1)`
fn called(arguments: &Value) -> String {
    let arguments = match arguments {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    };
    format!("({arguments})")
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(words: &str) -> String {
    if words.len() <= PIECE {
        return words.to_owned();
    }
    ends(words, PIECE, "\n[…]\n")
}

/// Head and tail of a text, each half of `most` bytes, with something between them.
pub(super) fn ends(text: &str, most: usize, between: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(between.len()) / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(half))..).unwrap_or_default();
    format!("{head}{between}{tail}")
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

//! What the agent is told of a message that a bridge or another agent delivered: when, where and by whom it was said. The message
//! itself stays as it was sent.
//!
//! THREAT[chat-02] A person who writes to an agent through a channel may write lines that look like this header, as if another
//! person had said the rest. Each field is one line of harmless characters, and lines of the text that begin like a field
//! are marked as quoted.

use chrono_tz::Tz;
use domain::{Asker, Message, Timestamp, is_misleading};

const FIELDS: [&str; 4] = ["time:", "source:", "sender:", "text:"];
const FIELD_CHARS: usize = 200;
/// The years 1 to 9999. Nearer to the ends of the calendar, converting to another zone panics.
const FIRST: i64 = -62_135_596_800_000;
const LAST: i64 = 253_402_300_799_999;
/// About what a header costs, in tokens.
pub(crate) const TOKENS: u64 = 50;

/// The words with their header; as they are when the session's own person said them.
pub(crate) fn headed(message: &Message, zone: &str) -> String {
    if let Some(asker) = &message.asker {
        return format!("{}\n\n{}", from_agent(asker), message.content);
    }
    let Some(sender) = &message.sender else { return message.content.clone() };
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let millis = message.created_at.as_millis().clamp(FIRST, LAST);
    let time = Timestamp::from_millis(millis).to_utc().with_timezone(&zone);
    format!(
        "Time: {}\nSource: {}\nSender: {}\nText: {}",
        time.format("%a %Y-%m-%d %H:%M:%S"),
        field(&sender.source),
        field(sender.name.as_deref().unwrap_or("unknown")),
        quoted(&message.content)
    )
}

/// Made from what the program knows; the same words in a message are just words behind it.
fn from_agent(asker: &Asker) -> String {
    let name = field(&asker.name);
    match asker.waits {
        true => {
            format!("[From the agent {name:?}, which waits: your last message of this turn is what it gets.]")
        }
        false => {
            format!("[From the agent {name:?}. It does not wait; write to it if it should hear something.]")
        }
    }
}

fn field(words: &str) -> String {
    let harmless = |c: char| if is_misleading(c) || matches!(c, '[' | ']' | '<' | '>') { ' ' } else { c };
    let words: String = words.chars().take(FIELD_CHARS).map(harmless).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    let forged = |line: &str| {
        let line: String = line.chars().filter(|c| !is_misleading(*c)).collect();
        let line = line.trim_start().to_lowercase();
        FIELDS.iter().any(|field| line.starts_with(field))
    };
    if !text.split(LINE_ENDS).any(forged) {
        return text.to_owned();
    }
    let mark = |line: &str| if forged(line) { format!("> {line}") } else { line.to_owned() };
    text.split(LINE_ENDS).map(mark).collect::<Vec<_>>().join("\n")
}

/// Everything that a model may take for the end of a line.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

#[cfg(test)]
#[path = "sender_header_tests.rs"]
mod tests;

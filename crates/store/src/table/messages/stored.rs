//! A message of the log: opened, and read no further than it has to be.

use super::{MessageBody, StoredAnswers};
use crate::{
    Result,
    crypto::seal::{CellPlace, from_json},
};
use domain::{
    Asker, Label, MarkupSettings, Message, MessageId, Meta, Role, Sender, StopReason, Timestamp, TurnId,
    Usage,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHead {
    pub id: MessageId,
    pub seq: u64,
    pub turn_id: TurnId,
    pub role: Role,
    pub created_at: Timestamp,
}

/// A message as it is stored, opened and not read.
pub struct StoredMessage<'a> {
    pub head: MessageHead,
    plain: &'a [u8],
    answers: Option<StoredAnswers>,
}

impl<'a> StoredMessage<'a> {
    pub(crate) fn new(head: MessageHead, plain: &'a [u8], answers: Option<StoredAnswers>) -> Self {
        Self { head, plain, answers }
    }

    /// The whole of it.
    pub fn read(self) -> Result<Message> {
        let MessageHead { id, seq, turn_id, role, created_at } = self.head;
        let body: MessageBody = from_json(CellPlace::new("messages", "body", &seq), self.plain)?;
        let (answers, given_by) = self.answers.unwrap_or_default().into_parts();
        let parts = body.parts.into_iter().map(|part| part.into_part(&body.content)).collect();
        Ok(Message {
            id,
            seq,
            turn_id,
            role,
            sender: body.sender,
            content: body.content,
            parts,
            elements: Vec::new(),
            answers,
            markup: body.markup,
            offset: body.offset,
            label: body.label.join(given_by),
            meta: body.meta,
            asker: body.asker,
            stop_reason: body.stop_reason,
            usage: body.usage,
            created_at,
        })
    }

    /// The same without reading its words. `None` where it is more than words that are shown as they were said: then all of it has
    /// to be read.
    pub fn words(&self) -> Option<StoredWords<'a>> {
        if self.answers.is_some() || self.head.role == Role::Tool {
            return None;
        }
        let mut words: StoredWords<'a> = serde_json::from_slice(self.plain).ok()?;
        let (_, given_by) = StoredAnswers::default().into_parts();
        words.label = words.label.join(given_by);
        // The words are a text without characters that are written as numbers: those could stand for any character.
        let is_text = |json: &RawValue| json.get().starts_with('"') && !json.get().contains("\\u");
        let is_plain = is_text(words.content)
            && words.meta.shown.is_none()
            && words.parts.iter().all(|stored| stored.part.text.is_none_or(is_text));
        is_plain.then_some(words)
    }
}

/// A message that is nothing but words: these are in JSON, as they are stored.
#[derive(Deserialize)]
pub struct StoredWords<'a> {
    #[serde(borrow)]
    pub content: &'a RawValue,
    #[serde(borrow)]
    parts: Vec<StoredWordsPart<'a>>,
    pub label: Label,
    pub meta: Meta,
    pub sender: Option<Sender>,
    pub stop_reason: Option<StopReason>,
    pub usage: Option<Usage>,
    pub markup: Option<MarkupSettings>,
    pub asker: Option<Asker>,
}

#[derive(Deserialize)]
struct StoredWordsPart<'a> {
    #[serde(default)]
    same: bool,
    #[serde(borrow)]
    part: WordsPart<'a>,
}

#[derive(Deserialize)]
struct WordsPart<'a> {
    #[serde(rename = "type")]
    kind: PartKind,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
}

/// A part of another kind is not read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PartKind {
    Text,
    Thinking,
}

/// A part as it is sent: a text that is the whole content has no words of its own.
#[derive(Clone, Copy, Debug)]
pub enum SentPart<'a> {
    Text(Option<&'a RawValue>),
    Thinking(&'a RawValue),
}

impl<'a> StoredWords<'a> {
    /// `None` where a part lacks its words.
    pub fn parts(&self) -> Option<Vec<SentPart<'a>>> {
        let content = self.content.get();
        let sent = |stored: &StoredWordsPart<'a>| match stored.part {
            WordsPart { kind: PartKind::Thinking, text } => text.map(SentPart::Thinking),
            WordsPart { kind: PartKind::Text, text } => {
                let own = |text: &&RawValue| !stored.same && text.get() != content && text.get() != "\"\"";
                Some(SentPart::Text(text.filter(own)))
            }
        };
        self.parts.iter().map(sent).collect()
    }
}

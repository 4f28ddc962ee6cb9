//! The transcript of a session.

mod pages;
mod stored;

pub use self::{
    pages::{MessagePage, page},
    stored::{MessageHead, SentPart, StoredMessage, StoredWords},
};

use crate::{
    DataKey, Result, Tx, args,
    compactions::{self, Compaction, CompactionRow},
    crypto::seal::{CellPlace, Opener, from_json, to_json},
    database::row::{Columns, Row, row},
};
use domain::{
    Asker, Label, MarkupSettings, Message, MessageId, Meta, Part, Role, Sender, SessionId, StopReason,
    Timestamp, TurnId, Usage, UserId,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

row! {
    pub(crate) struct MessageRow {
        seq: u64,
        id: MessageId,
        turn_id: TurnId,
        role: Role,
        created_at: Timestamp,
        body: Vec<u8>,
        answers: Option<Vec<u8>>,
    }
}

/// The columns of a [`MessageRow`], for `messages m`.
pub(crate) const COLUMNS: &str = "m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers";

/// The words of a message and what came with them.
#[derive(Serialize, Deserialize)]
struct MessageBody {
    content: String,
    parts: Vec<StoredPart>,
    label: Label,
    meta: Meta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sender: Option<Sender>,
    stop_reason: Option<StopReason>,
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    markup: Option<MarkupSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asker: Option<Asker>,
}

/// A part; `same` means that its text is the message's content, which is not stored a second time.
#[derive(Serialize, Deserialize)]
struct StoredPart {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    same: bool,
    part: Part,
}

impl StoredPart {
    fn new(part: &Part, content: &str) -> Self {
        let mut part = part.clone();
        let same = words(&mut part).is_some_and(|text| {
            let same = text.as_str() == content;
            if same {
                text.clear();
            }
            same
        });
        Self { same, part }
    }

    fn into_part(self, content: &str) -> Part {
        let mut part = self.part;
        if self.same
            && let Some(text) = words(&mut part)
        {
            content.clone_into(text);
        }
        part
    }
}

/// What was answered to the prompts in a message, after the message itself was stored.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredAnswers {
    Labelled {
        answers: BTreeMap<String, String>,
        /// Of the message with its answers: who answers may know more than who asked.
        label: Label,
    },
    /// As they were stored before answers had labels.
    Bare(BTreeMap<String, String>),
}

impl Default for StoredAnswers {
    fn default() -> Self {
        Self::Labelled { answers: BTreeMap::new(), label: Label::TRUSTED_PUBLIC }
    }
}

impl StoredAnswers {
    /// It is not known who gave those that have no label: a person, or an agent that had just read something.
    fn into_parts(self) -> (BTreeMap<String, String>, Label) {
        match self {
            Self::Labelled { answers, label } => (answers, label),
            Self::Bare(answers) => (answers, Label::WORST),
        }
    }
}

fn words(part: &mut Part) -> Option<&mut String> {
    match part {
        Part::Text { text } | Part::Result { content: text, .. } => Some(text),
        _ => None,
    }
}

/// Binds the words to the message's place in the transcript and to who said them.
struct MessagePlace<'a> {
    session: &'a SessionId,
    seq: u64,
    id: &'a MessageId,
    turn: &'a TurnId,
    role: Role,
}

impl fmt::Display for MessagePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}/{}", self.session, self.seq, self.id, self.turn, self.role.as_str())
    }
}

impl MessageRow {
    pub(crate) fn open(self, key: &DataKey, session: &SessionId) -> Result<Message> {
        let Self { seq, id, turn_id, role, created_at, body, answers } = self;
        let row = MessagePlace { session, seq, id: &id, turn: &turn_id, role };
        let plain = key.open(CellPlace::new("messages", "body", &row), &body)?;
        let answers = answers.map(|sealed| open_answers(key, &row, &sealed)).transpose()?;
        StoredMessage::new(MessageHead { id, seq, turn_id, role, created_at }, &plain, answers).read()
    }
}

fn open_answers(key: &DataKey, row: &MessagePlace<'_>, sealed: &[u8]) -> Result<StoredAnswers> {
    key.open_json(CellPlace::new("messages", "answers", row), sealed)
}

/// Opens the message of an event that is read: where it is and when it was, its words, and what was answered to it. Its size, as
/// it is stored, is added to `bytes`.
pub(crate) fn open_stored<'p>(
    opener: &mut Opener<'_>,
    key: &DataKey,
    session: &SessionId,
    columns: &mut Columns<'_>,
    (plain, bytes): (&'p mut Vec<u8>, &mut u64),
) -> Result<Option<StoredMessage<'p>>> {
    let head: Option<(u64, MessageId, TurnId, Role, Timestamp)> = Row::take(columns)?;
    let Some((seq, id, turn_id, role, created_at)) = head else { return Ok(None) };
    let row = MessagePlace { session, seq, id: &id, turn: &turn_id, role };
    let found = columns.look_at(|sealed| {
        *bytes = bytes.saturating_add(sealed.len() as u64);
        opener.open_into(&row, sealed, plain)
    })?;
    if found.is_none() {
        return Ok(None);
    }
    let answers = columns.look_at(|sealed| open_answers(key, &row, sealed))?;
    Ok(Some(StoredMessage::new(MessageHead { id, seq, turn_id, role, created_at }, plain, answers)))
}

impl MessageRow {
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    pub(crate) fn head(&self) -> MessageHead {
        let Self { id, seq, turn_id, role, created_at, .. } = *self;
        MessageHead { id, seq, turn_id, role, created_at }
    }

    /// The words and what came with them, as they are stored, without reading them.
    pub(crate) fn plain(&self, key: &DataKey, session: &SessionId) -> Result<Vec<u8>> {
        let Self { seq, id, turn_id, role, body, .. } = self;
        let row = MessagePlace { session, seq: *seq, id, turn: turn_id, role: *role };
        key.open(CellPlace::new("messages", "body", &row), body)
    }
}

/// The words alone, of what [`MessageRow::plain`] gave, and their label.
pub(crate) fn content_of(plain: &[u8]) -> Result<(String, Label)> {
    #[derive(Deserialize)]
    struct Words {
        content: String,
        label: Label,
    }
    let words: Words = from_json(CellPlace::new("messages", "body", &"a message"), plain)?;
    Ok((words.content, words.label))
}

/// The sealed words of a message, and how many bytes they are.
pub(crate) fn seal(key: &DataKey, session: &SessionId, message: &Message) -> Result<(u64, Vec<u8>)> {
    let body = MessageBody {
        content: message.content.clone(),
        parts: message.parts.iter().map(|part| StoredPart::new(part, &message.content)).collect(),
        label: message.label,
        meta: message.meta.clone(),
        sender: message.sender.clone(),
        stop_reason: message.stop_reason,
        usage: message.usage,
        markup: message.markup,
        offset: message.offset,
        asker: message.asker.clone(),
    };
    let plain = to_json(&body)?;
    let row = MessagePlace {
        session,
        seq: message.seq,
        id: &message.id,
        turn: &message.turn_id,
        role: message.role,
    };
    let sealed = key.seal(CellPlace::new("messages", "body", &row), &plain)?;
    Ok((u64::try_from(plain.len()).unwrap_or(u64::MAX), sealed))
}

/// The sealed answers to the prompts in a message.
pub(crate) fn seal_answers(key: &DataKey, session: &SessionId, message: &Message) -> Result<Option<Vec<u8>>> {
    if message.answers.is_empty() {
        return Ok(None);
    }
    let Message { seq, id, turn_id: turn, role, .. } = message;
    let row = MessagePlace { session, seq: *seq, id, turn, role: *role };
    let answers = StoredAnswers::Labelled { answers: message.answers.clone(), label: message.label };
    key.seal_json(CellPlace::new("messages", "answers", &row), &answers).map(Some)
}

/// One message of a session of this person.
pub fn get(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    session: SessionId,
    id: MessageId,
) -> Result<Option<Message>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM messages m JOIN sessions s ON s.id = m.session_id \
         WHERE m.session_id = $1 AND m.id = $2 AND s.user_id = $3"
    );
    let row: Option<MessageRow> = tx.maybe(&sql, args![session, id, user])?;
    row.map(|row| row.open(key, &session)).transpose()
}

/// Keeps what was answered to the prompts of a message.
pub fn set_answers(tx: &mut Tx, key: &DataKey, session: SessionId, message: &Message) -> Result<()> {
    let sealed = seal_answers(key, &session, message)?;
    let sql = "UPDATE messages SET answers = $3 WHERE session_id = $1 AND seq = $2";
    match tx.run(sql, args![session, message.seq, sealed])? {
        0 => Err(crate::Error::NotFound),
        _ => Ok(()),
    }
}

/// The turn of the newest message.
pub fn newest_turn(tx: &mut Tx, session: SessionId) -> Result<Option<TurnId>> {
    tx.maybe("SELECT turn_id FROM messages WHERE session_id = $1 ORDER BY seq DESC LIMIT 1", args![session])
}

/// Whether the session's agent has begun to write, or has written, after this message: it was told then what was answered
/// to the prompts in it.
pub fn is_read(tx: &mut Tx, session: SessionId, seq: u64) -> Result<bool> {
    let sql = "SELECT m.seq FROM messages m WHERE m.session_id = $1 AND m.seq > $2 AND m.role = 'assistant' \
               UNION ALL SELECT e.seq FROM events e WHERE e.session_id = $1 AND e.seq > $2 AND e.type = 'message_start' \
               LIMIT 1";
    let found: Option<u64> = tx.maybe(sql, args![session, seq])?;
    Ok(found.is_some())
}

/// The end of a transcript, as a model is told it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// Of everything before the messages.
    pub summary: Option<Compaction>,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Nothing was left out behind the summary.
    pub complete: bool,
}

/// Up to where the newest summary of session `$1` goes.
const SUMMARISED: &str = "COALESCE((SELECT u.up_to_seq FROM compactions u WHERE u.session_id = $1 \
                          ORDER BY u.generation DESC LIMIT 1), 0)";

/// The newest summary, and of the messages behind it the newest that together have at most `max_bytes` and are at most
/// `max_rows`, but always the newest one. One statement, which reads the words of these rows only: what is summarised
/// costs nothing.
pub fn recent(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    max_bytes: u64,
    max_rows: u32,
) -> Result<Recent> {
    // The summary comes with the newest message, which is always there. Whatever a row does not need is not looked up for it.
    let sql = format!(
        "SELECT {COLUMNS}, (SELECT MIN(o.seq) FROM messages o WHERE o.session_id = $1 AND o.seq > {SUMMARISED}), {} \
         FROM messages m LEFT JOIN compactions c \
           ON c.session_id = CASE WHEN m.seq = (SELECT MAX(l.seq) FROM messages l WHERE l.session_id = $1) \
             THEN m.session_id END \
           AND c.generation = (SELECT MAX(g.generation) FROM compactions g WHERE g.session_id = $1) \
         WHERE m.session_id = $1 AND m.seq >= (\
           SELECT MIN(b.seq) FROM (\
             SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) AS total, \
               ROW_NUMBER() OVER (ORDER BY a.seq DESC) AS place \
             FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > {SUMMARISED} \
                   ORDER BY seq DESC LIMIT $3) a\
           ) b WHERE b.place = 1 OR b.total <= $2\
         ) ORDER BY m.seq",
        compactions::COLUMNS
    );
    let rows: Vec<(MessageRow, u64, Option<CompactionRow>)> =
        tx.all(&sql, args![session, max_bytes, max_rows.max(1)])?;
    let complete = rows.first().is_none_or(|(row, oldest, _)| row.seq == *oldest);
    let (mut summary, mut messages) = (None, Vec::with_capacity(rows.len()));
    for (row, _, compaction) in rows {
        if let Some(row) = compaction {
            summary = Some(row.open(key, &session)?);
        }
        messages.push(row.open(key, &session)?);
    }
    Ok(Recent { summary, messages, complete })
}

/// The oldest messages behind `after` that together have at most `max_bytes` and are at most `max_rows`, but always the
/// oldest one; and whether that is all.
pub fn oldest(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    after: u64,
    max_bytes: u64,
    max_rows: u32,
) -> Result<(Vec<Message>, bool)> {
    let sql = format!(
        "SELECT {COLUMNS}, (SELECT MAX(o.seq) FROM messages o WHERE o.session_id = $1) \
         FROM messages m WHERE m.session_id = $1 AND m.seq > $2 AND m.seq <= (\
           SELECT MAX(b.seq) FROM (\
             SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) AS total, \
               ROW_NUMBER() OVER (ORDER BY a.seq) AS place \
             FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $4) a\
           ) b WHERE b.place = 1 OR b.total <= $3\
         ) ORDER BY m.seq"
    );
    let values = args![session, after, max_bytes, max_rows.max(1)];
    let rows: Vec<(MessageRow, u64)> = tx.all(&sql, values)?;
    let all = rows.last().is_none_or(|(row, newest)| row.seq == *newest);
    let messages = rows.into_iter().map(|(row, _)| row.open(key, &session)).collect::<Result<_>>()?;
    Ok((messages, all))
}

/// How many messages there are up to this one, and how many bytes they have.
pub fn extent(tx: &mut Tx, session: SessionId, up_to: u64) -> Result<(u64, u64)> {
    let sql = "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM messages \
               WHERE session_id = $1 AND seq <= $2";
    tx.one(sql, args![session, up_to])
}

/// The transcript from its beginning up to this message.
pub fn up_to(tx: &mut Tx, key: &DataKey, session: SessionId, seq: u64) -> Result<Vec<Message>> {
    let sql =
        format!("SELECT {COLUMNS} FROM messages m WHERE m.session_id = $1 AND m.seq <= $2 ORDER BY m.seq");
    let rows: Vec<MessageRow> = tx.all(&sql, args![session, seq])?;
    rows.into_iter().map(|row| row.open(key, &session)).collect()
}

/// What a turn said, in order.
pub fn of_turn(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<Message>> {
    let sql = format!("SELECT m.session_id, {COLUMNS} FROM messages m WHERE m.turn_id = $1 ORDER BY m.seq");
    let rows: Vec<(SessionId, MessageRow)> = tx.all(&sql, args![turn])?;
    rows.into_iter().map(|(session, row)| row.open(key, &session)).collect()
}

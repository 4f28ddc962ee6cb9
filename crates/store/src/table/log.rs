//! The log of a session: its events, some of which are messages. The words of a message are stored once, in
//! `messages`; its event has none of its own and is joined with them by `(session_id, seq)`.

use crate::{
    Arg, DataKey, Error, PIECE_BYTES, Result, Tx, args,
    crypto::seal::{CellPlace, NumberedOpener, Opener, from_json},
    database::{
        page::one_more,
        row::{Columns, Row},
    },
    messages::{self, StoredMessage},
    sessions::{self, Numbers},
};
use domain::{Event, EventBody, Label, Message, MessageId, SessionId, StoredType, Timestamp, TurnId};
use std::{fmt, ops::ControlFlow};

/// What goes into the log.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a turn appends a handful of them, and each is gone after its commit"
)]
pub enum Entry {
    Event {
        turn_id: Option<TurnId>,
        body: EventBody,
    },
    /// Its `seq` is filled in when it is appended.
    Message(Message),
}

/// A session's id and a number.
struct EventPlace<'a>(&'a str, u64);

impl fmt::Display for EventPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        f.write_str("/")?;
        self.1.fmt(f)
    }
}

/// Appends entries under the numbers that were taken for them, from their session, in this transaction.
/// [`Error::Misnumbered`] where they are not as many.
pub fn append(
    tx: &mut Tx,
    key: &DataKey,
    numbers: Numbers,
    at: Timestamp,
    entries: Vec<Entry>,
) -> Result<Vec<Event>> {
    let session = numbers.session();
    let place = session.to_string();
    if key.owner() != numbers.user() {
        return Err(Error::Crypto { table: "events", column: "data" });
    }
    let (seqs, count) = (numbers.each(), entries.len() as u64);
    if seqs.end.saturating_sub(seqs.start) != count {
        return Err(Error::Misnumbered { taken: seqs.end.saturating_sub(seqs.start), entries: count });
    }
    let mut events = Vec::with_capacity(entries.len());
    let mut event_values: Vec<Arg> = Vec::with_capacity(entries.len().saturating_mul(6));
    let mut message_values: Vec<Arg> = Vec::new();
    let mut label = Label::TRUSTED_PUBLIC;
    for (seq, entry) in seqs.zip(entries) {
        let (turn_id, data, body) = match entry {
            Entry::Event { turn_id, body } => {
                let row = EventPlace(&place, seq);
                (turn_id, Some(key.seal_json(CellPlace::new("events", "data", &row), &body)?), body)
            }
            Entry::Message(mut message) => {
                message.seq = seq;
                label = label.join(message.label);
                message_values.extend(message_row(key, session, &message)?);
                (Some(message.turn_id), None, EventBody::of_message(message))
            }
        };
        event_values.extend(args![session, seq, at, turn_id, body.type_name(), data]);
        events.push(Event { seq, at, session_id: session, turn_id, body });
    }
    tx.insert("INSERT INTO events (session_id, seq, at, turn_id, type, data)", 6, event_values)?;
    let head = "INSERT INTO messages (session_id, seq, id, turn_id, role, created_at, size, body, answers)";
    tx.insert(head, 9, message_values)?;
    sessions::taint(tx, session, label)?;
    Ok(events)
}

fn message_row(key: &DataKey, session: SessionId, message: &Message) -> Result<Vec<Arg>> {
    let (size, body) = messages::seal(key, &session, message)?;
    let Message { seq, id, turn_id, role, created_at, .. } = message;
    let answers = messages::seal_answers(key, &session, message)?;
    Ok(args![session, *seq, *id, *turn_id, *role, *created_at, size, body, answers])
}

/// The message of an event that has no words of its own. Where it has, the key is null, so that nothing is looked for.
const MESSAGE: &str =
    "LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq";

/// Which events; the default is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Names of events; empty means every one.
    pub types: Vec<String>,
    pub turn_id: Option<TurnId>,
}

/// Events in order, and whether more of those that were asked for come after them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    pub events: Vec<Event>,
    pub more: bool,
}

/// An event as it is stored.
pub struct StoredEvent<'a> {
    pub seq: u64,
    pub at: Timestamp,
    pub turn_id: Option<TurnId>,
    pub body: StoredBody<'a>,
}

pub enum StoredBody<'a> {
    /// An [`EventBody`] in the JSON in which it was written.
    Json(&'a [u8]),
    Message(StoredMessage<'a>),
}

/// The events after `after`, in order: at most `limit`, and no more than [`PIECE_BYTES`], but always one. Those of a kind that only a newer
/// program knows are left out.
pub fn read(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    after: u64,
    limit: u32,
    filter: EventFilter,
) -> Result<Events> {
    let mut events = Vec::new();
    let more = visit(tx, key, session, (after, limit), filter, &mut |stored| {
        let StoredEvent { seq, at, turn_id, body } = stored;
        let body = match body {
            StoredBody::Json(json) if is_newer(json) => return Ok(()),
            StoredBody::Json(json) => from_json(CellPlace::new("events", "data", &seq), json)?,
            StoredBody::Message(message) => EventBody::of_message(message.read()?),
        };
        events.push(Event { seq, at, session_id: session, turn_id, body });
        Ok(())
    })?;
    Ok(Events { events, more })
}

fn is_newer(json: &[u8]) -> bool {
    matches!(EventBody::stored_type(json), Some(StoredType::Newer(_)))
}

/// Shows those events to `look`, one by one and without reading what is in them; says whether there are more.
pub fn visit(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    (after, limit): (u64, u32),
    filter: EventFilter,
    look: &mut dyn FnMut(StoredEvent<'_>) -> Result<()>,
) -> Result<bool> {
    let mut values = args![session, after, one_more(limit), PIECE_BYTES];
    let Some(asked) = asked(filter, &mut values) else { return Ok(false) };
    let sql = statement(&asked, tx.is_postgres());
    let mut piece = Piece {
        key,
        session,
        messages: key.opener("messages", "body"),
        plain: Vec::new(),
        bytes: 0,
        turn: None,
    };
    let mut opener = key.numbered_opener("events", "data", &session.to_string());
    let (mut seen, mut among) = (0_u64, 0_u64);
    tx.visit(&sql, values, &mut |columns| {
        if seen >= u64::from(limit) || piece.bytes >= PIECE_BYTES {
            among = seen.saturating_add(1);
            return Ok(ControlFlow::Break(()));
        }
        among = u64::take(columns)?;
        piece.show(&mut opener, columns, look)?;
        seen = seen.saturating_add(1);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(among > seen)
}

/// What the filter asks for, as a condition. `None` where that is nothing.
fn asked(filter: EventFilter, values: &mut Vec<Arg>) -> Option<String> {
    let mut asked = "e.session_id = $1 AND e.seq > $2".to_owned();
    if let Some(turn) = filter.turn_id {
        values.extend(args![turn]);
        asked.push_str(&format!(" AND e.turn_id = ${}", values.len()));
    }
    if !filter.types.is_empty() {
        // Only names there are, each once: the text of the statement does not grow with the question.
        let known =
            EventBody::TYPES.iter().copied().filter(|name| filter.types.iter().any(|asked| asked == name));
        let mut places = Vec::new();
        for name in known {
            values.extend(args![name]);
            places.push(format!("${}", values.len()));
        }
        if places.is_empty() {
            return None;
        }
        asked.push_str(&format!(" AND e.type IN ({})", places.join(", ")));
    }
    Some(asked)
}

/// The words of what does not fit are never read. SQLite reads what is looked at, so it is enough to look no further;
/// PostgreSQL sends all rows of its answer, so the sizes are looked at first.
fn statement(asked: &str, is_postgres: bool) -> String {
    let columns = format!("e.seq, e.at, e.turn_id, e.data, {}", messages::COLUMNS);
    if !is_postgres {
        return format!(
            "SELECT /* SQLite */ 0, {columns} FROM events e {MESSAGE} WHERE {asked} ORDER BY e.seq LIMIT $3"
        );
    }
    format!(
        "SELECT /* PostgreSQL */ b.among, {columns} FROM (\
           SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among \
           FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e {MESSAGE} \
                 WHERE {asked} ORDER BY e.seq LIMIT $3) a\
         ) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq {MESSAGE} \
         WHERE b.bytes_before < $4 ORDER BY e.seq"
    )
}

/// A piece of the log while it is read.
struct Piece<'a> {
    key: &'a DataKey,
    session: SessionId,
    messages: Opener<'a>,
    /// The words of the event that is shown.
    plain: Vec<u8>,
    /// Of all that were shown.
    bytes: u64,
    /// The turn of the event before, which is mostly that of the next, too.
    turn: Option<(Vec<u8>, TurnId)>,
}

impl Piece<'_> {
    fn show(
        &mut self,
        opener: &mut NumberedOpener<'_>,
        columns: &mut Columns<'_>,
        look: &mut dyn FnMut(StoredEvent<'_>) -> Result<()>,
    ) -> Result<()> {
        let (seq, at) = <(u64, Timestamp)>::take(columns)?;
        let turn_id = self.turn(columns)?;
        let Self { key, session, messages, plain, bytes, .. } = self;
        plain.clear();
        let found = columns.look_at(|sealed| {
            *bytes = bytes.saturating_add(sealed.len() as u64);
            opener.open_into(seq, sealed, plain)
        })?;
        let body = match found {
            Some(()) => StoredBody::Json(plain),
            None => {
                let message = messages::open_stored(messages, key, session, columns, (plain, bytes))?;
                StoredBody::Message(message.ok_or_else(|| {
                    Error::Corrupt(format!("event {seq} of {session} has lost its message"))
                })?)
            }
        };
        look(StoredEvent { seq, at, turn_id, body })
    }

    fn turn(&mut self, columns: &mut Columns<'_>) -> Result<Option<TurnId>> {
        let known = &mut self.turn;
        let turn = columns.look_at_text(|text| match known {
            Some((before, turn)) if before.as_slice() == text.as_bytes() => Some(*turn),
            _ => {
                let turn = text.parse().ok()?;
                *known = Some((text.as_bytes().to_vec(), turn));
                Some(turn)
            }
        })?;
        match turn {
            None => Ok(None),
            Some(turn) => turn.ok_or_else(|| Error::Corrupt("a turn's id was expected".to_owned())).map(Some),
        }
    }
}

/// The message that the turn has begun and not ended, if there is one: the id of its start.
pub fn open_message(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    turn: TurnId,
) -> Result<Option<MessageId>> {
    let sql = "SELECT e.seq, e.data FROM events e WHERE e.session_id = $1 AND e.turn_id = $2 \
               AND e.type = 'message_start' AND NOT EXISTS (SELECT 1 FROM events d WHERE d.session_id = e.session_id \
                 AND d.turn_id = e.turn_id AND d.type = 'message_complete' AND d.seq > e.seq) \
               ORDER BY e.seq DESC LIMIT 1";
    let found: Option<(u64, Vec<u8>)> = tx.maybe(sql, args![session, turn])?;
    let Some((seq, sealed)) = found else { return Ok(None) };
    match key.open_json(CellPlace::new("events", "data", &EventPlace(&session.to_string(), seq)), &sealed)? {
        EventBody::MessageStart { message_id, .. } => Ok(Some(message_id)),
        _ => Ok(None),
    }
}

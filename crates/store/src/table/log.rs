//! The log of a session: its events, some of which are messages. The words of a message are stored once, in
//! `messages`; its event has none of its own and is joined with them by `(session_id, seq)`.

use crate::{
    Arg, DataKey, Error, PIECE_BYTES, Result, Tx, args,
    crypto::seal::Place,
    database::{page::one_more, row::row},
    messages::{self, MessageRow},
    sessions::{self, Numbers},
};
use domain::{Event, EventBody, Label, Message, MessageId, SessionId, Timestamp, TurnId};
use std::fmt;

/// What goes into the log.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Event {
        turn_id: Option<TurnId>,
        body: EventBody,
    },
    /// Its `seq` is filled in when it is appended.
    Message(Message),
}

row! {
    struct EventRow {
        seq: u64,
        at: Timestamp,
        turn_id: Option<TurnId>,
        data: Option<Vec<u8>>,
        message: Option<MessageRow>,
    }
}

struct EventPlace<'a>(&'a SessionId, u64);

impl fmt::Display for EventPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
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
                let row = EventPlace(&session, seq);
                (turn_id, Some(key.seal_json(Place::new("events", "data", &row), &body)?), body)
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

/// The message of an event that has no words of its own.
const MESSAGE: &str =
    "LEFT JOIN messages m ON e.data IS NULL AND m.session_id = e.session_id AND m.seq = e.seq";

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

/// The events after `after`, in order: at most `limit`, and no more than [`PIECE_BYTES`], but always one.
pub fn read(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    after: u64,
    limit: u32,
    filter: EventFilter,
) -> Result<Events> {
    let mut asked = "e.session_id = $1 AND e.seq > $2".to_owned();
    let mut values = args![session, after, one_more(limit), PIECE_BYTES];
    if let Some(turn) = filter.turn_id {
        values.extend(args![turn]);
        asked.push_str(&format!(" AND e.turn_id = ${}", values.len()));
    }
    if !filter.types.is_empty() {
        // Only names there are, each once: the text of the statement does not grow with the question.
        let known =
            EventBody::TYPES.into_iter().filter(|name| filter.types.iter().any(|asked| asked == name));
        let mut places = Vec::new();
        for name in known {
            values.extend(args![name]);
            places.push(format!("${}", values.len()));
        }
        if places.is_empty() {
            return Ok(Events::default());
        }
        asked.push_str(&format!(" AND e.type IN ({})", places.join(", ")));
    }
    // The sizes are looked at first, so that the words of what does not fit are never read.
    let sql = format!(
        "SELECT e.seq, e.at, e.turn_id, e.data, {}, b.among FROM (\
           SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among \
           FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e {MESSAGE} \
                 WHERE {asked} ORDER BY e.seq LIMIT $3) a\
         ) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq {MESSAGE} \
         WHERE b.bytes_before < $4 ORDER BY e.seq",
        messages::COLUMNS
    );
    let mut rows: Vec<(EventRow, u64)> = tx.all(&sql, values)?;
    let among = rows.first().map_or(0, |(_, among)| *among);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let more = among > rows.len() as u64;
    let events = rows.into_iter().map(|(row, _)| open(key, session, row)).collect::<Result<_>>()?;
    Ok(Events { events, more })
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
    match key.open_json(Place::new("events", "data", &EventPlace(&session, seq)), &sealed)? {
        EventBody::MessageStart { message_id, .. } => Ok(Some(message_id)),
        _ => Ok(None),
    }
}

fn open(key: &DataKey, session: SessionId, row: EventRow) -> Result<Event> {
    let EventRow { seq, at, turn_id, data, message } = row;
    let body = match (data, message) {
        (Some(sealed), _) => {
            key.open_json(Place::new("events", "data", &EventPlace(&session, seq)), &sealed)?
        }
        (None, Some(message)) => EventBody::of_message(message.open(key, &session)?),
        (None, None) => return Err(Error::Corrupt(format!("event {seq} of {session} has lost its message"))),
    };
    Ok(Event { seq, at, session_id: session, turn_id, body })
}

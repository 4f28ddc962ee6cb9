//! Calls: the intent is stored before a tool begins, the result settles it exactly once.

use crate::{
    DataKey, Error, Result, Tx, args,
    crypto::seal::CellPlace,
    database::row::row,
    messages::{self, MessageRow},
};
use domain::{
    Call, CallId, CallStatus, EffectClass, MessageId, Origin, ResultStatus, SessionId, Timestamp, TurnId,
    UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct NewCall {
    pub id: CallId,
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub user_id: UserId,
    /// The message that made it.
    pub message_id: MessageId,
    /// Its place among the calls of that message.
    pub position: u32,
    pub name: String,
    pub arguments: Value,
    pub origin: Origin,
    pub class: EffectClass,
    /// What else is known of how it was made.
    pub made: TextCallDetails,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredCall {
    pub id: CallId,
    pub message_id: MessageId,
    pub position: u32,
    pub name: String,
    pub arguments: Value,
    pub origin: Origin,
    pub class: EffectClass,
    pub made: TextCallDetails,
    pub status: CallStatus,
    /// How often it was started.
    pub attempt: u32,
    /// The event that holds its result.
    pub result_seq: Option<u64>,
    pub started_at: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    /// What it did in this database is noted.
    pub has_receipt: bool,
}

/// How a call that stands in the agent's text was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TextCallDetails {
    /// To whom it is addressed; absent means the tools of the house.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_id: Option<String>,
    /// What the agent calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct CallBody {
    name: String,
    arguments: Value,
    #[serde(default)]
    made: TextCallDetails,
}

row! {
    struct CallRow {
        id: CallId,
        message_id: MessageId,
        position: u32,
        origin: String,
        class: EffectClass,
        status: CallStatus,
        attempt: u32,
        result_seq: Option<u64>,
        started_at: Option<Timestamp>,
        settled_at: Option<Timestamp>,
        body: Vec<u8>,
        has_receipt: bool,
    }
}

const COLUMNS: &str = "c.id, c.message_id, c.position, c.origin, c.class, c.status, c.attempt, c.result_seq, \
     c.started_at, c.settled_at, c.body, CAST(CASE WHEN c.receipt IS NULL THEN 0 ELSE 1 END AS BIGINT)";
const ORDER: &str = "ORDER BY c.created_at, c.message_id, c.position";

fn place(id: &CallId) -> CellPlace<'_> {
    CellPlace::new("calls", "body", id)
}

const ORIGINS: [(Origin, &str); 5] = [
    (Origin::Native, "native"),
    (Origin::Element, "element"),
    (Origin::Interaction, "interaction"),
    (Origin::Assertion, "assertion"),
    (Origin::Pattern, "pattern"),
];

fn origin_name(origin: Origin) -> &'static str {
    ORIGINS.into_iter().find(|(known, _)| *known == origin).map_or("native", |(_, name)| name)
}

fn parse_origin(name: &str) -> Result<Origin> {
    let found = ORIGINS.into_iter().find(|(_, known)| *known == name);
    found.map(|(origin, _)| origin).ok_or_else(|| Error::Corrupt("calls.origin".to_owned()))
}

impl CallRow {
    fn open(self, key: &DataKey) -> Result<StoredCall> {
        let CallBody { name, arguments, made } = key.open_json(place(&self.id), &self.body)?;
        Ok(StoredCall {
            id: self.id,
            message_id: self.message_id,
            position: self.position,
            name,
            arguments,
            origin: parse_origin(&self.origin)?,
            class: self.class,
            made,
            status: self.status,
            attempt: self.attempt,
            result_seq: self.result_seq,
            started_at: self.started_at,
            settled_at: self.settled_at,
            has_receipt: self.has_receipt,
        })
    }
}

/// Stores what the agent asked for, before any of it begins.
pub fn insert(tx: &mut Tx, key: &DataKey, calls: &[NewCall], at: Timestamp) -> Result<()> {
    let mut values = Vec::with_capacity(calls.len().saturating_mul(12));
    for call in calls {
        let body =
            CallBody { name: call.name.clone(), arguments: call.arguments.clone(), made: call.made.clone() };
        values.extend(args![
            call.id,
            call.session_id,
            call.turn_id,
            call.user_id,
            call.message_id,
            call.position,
            origin_name(call.origin),
            call.class,
            CallStatus::Pending,
            0_u32,
            at,
            key.seal_json(place(&call.id), &body)?
        ]);
    }
    let head = "INSERT INTO calls (id, session_id, turn_id, user_id, message_id, position, origin, class, \
                status, attempt, created_at, body)";
    tx.insert(head, 12, values)?;
    Ok(())
}

/// Notes that the call begins (again); `false` when it is settled. Its tool runs only after the COMMIT.
pub fn start(tx: &mut Tx, id: CallId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE calls SET status = 'running', attempt = attempt + 1, started_at = $2 \
               WHERE id = $1 AND status IN ('pending', 'waiting', 'running')";
    Ok(tx.run(sql, args![id, at])? > 0)
}

fn receipt_place(id: &CallId) -> CellPlace<'_> {
    CellPlace::new("calls", "receipt", id)
}

/// What the call has done in this database, if it has; [`Error::Fenced`] when it is settled or not of this turn.
pub fn receipt(tx: &mut Tx, key: &DataKey, turn: TurnId, id: CallId) -> Result<Option<Value>> {
    let sql = "SELECT receipt FROM calls \
               WHERE id = $1 AND turn_id = $2 AND status IN ('pending', 'waiting', 'running')";
    let found: Option<Option<Vec<u8>>> = tx.maybe(sql, args![id, turn])?;
    let sealed = found.ok_or(Error::Fenced)?;
    sealed.map(|sealed| key.open_json(receipt_place(&id), &sealed)).transpose()
}

/// Notes what the call does in this database, in the transaction that does it: it is done once, however often the call
/// runs.
pub fn note_receipt(tx: &mut Tx, key: &DataKey, id: CallId, done: &Value) -> Result<()> {
    let sealed = key.seal_json(receipt_place(&id), done)?;
    let sql = "UPDATE calls SET receipt = $2 WHERE id = $1 AND receipt IS NULL";
    if tx.run(sql, args![id, sealed])? == 0 { Err(Error::Fenced) } else { Ok(()) }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    pub status: ResultStatus,
    /// The event that holds its result.
    pub result_seq: u64,
    /// When its tool began, for calls that were not noted as begun; none when it never did.
    pub started_at: Option<Timestamp>,
    pub at: Timestamp,
}

/// Notes that the call waits for an answer, and no longer for an approval that it had waited for; `false` when it has
/// begun or is settled.
pub fn wait(tx: &mut Tx, id: CallId) -> Result<bool> {
    let sql = "UPDATE calls SET status = 'waiting', approval_id = NULL \
               WHERE id = $1 AND status IN ('pending', 'waiting')";
    Ok(tx.run(sql, args![id])? > 0)
}

/// Gives the call its one result; `false` when it has one already.
pub fn settle(tx: &mut Tx, id: CallId, settled: Settled) -> Result<bool> {
    let Settled { status, result_seq, started_at, at } = settled;
    let sql = "UPDATE calls SET status = $2, result_seq = $3, settled_at = $4, started_at = COALESCE($5, started_at) \
               WHERE id = $1 AND status IN ('pending', 'waiting', 'running')";
    Ok(tx.run(sql, args![id, CallStatus::from(status), result_seq, at, started_at])? > 0)
}

row! {
    /// A call without a result, as far as it can be told without its words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct OpenCall {
        pub id: CallId,
        pub class: EffectClass,
        pub status: CallStatus,
    }
}

/// The calls of a turn that have no result yet, in the order in which they were made.
pub fn open_of_turn(tx: &mut Tx, turn: TurnId) -> Result<Vec<OpenCall>> {
    let sql = format!(
        "SELECT c.id, c.class, c.status FROM calls c \
         WHERE c.turn_id = $1 AND c.status IN ('pending', 'waiting', 'running') {ORDER}"
    );
    tx.all(&sql, args![turn])
}

/// The calls of a turn, in the order in which they were made.
pub fn of_turn(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<StoredCall>> {
    let sql = format!("SELECT {COLUMNS} FROM calls c WHERE c.turn_id = $1 {ORDER}");
    tx.all::<CallRow>(&sql, args![turn])?.into_iter().map(|row| row.open(key)).collect()
}

/// The calls of a turn as the API shows them, each with the content of its result.
pub fn listed(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<Call>> {
    let sql = format!(
        "SELECT {COLUMNS}, c.session_id, {} FROM calls c \
         LEFT JOIN messages m ON m.session_id = c.session_id AND m.seq = c.result_seq \
         WHERE c.turn_id = $1 {ORDER}",
        messages::COLUMNS
    );
    let rows: Vec<(CallRow, SessionId, Option<MessageRow>)> = tx.all(&sql, args![turn])?;
    rows.into_iter().map(|(row, session, result)| shown(key, row, session, result)).collect()
}

fn shown(key: &DataKey, row: CallRow, session: SessionId, result: Option<MessageRow>) -> Result<Call> {
    let call = row.open(key)?;
    let message = result.map(|row| row.open(key, &session)).transpose()?;
    let content = message.and_then(|message| {
        message.results().find(|(id, _)| **id == call.id).map(|(_, content)| content.to_owned())
    });
    let spent = |(start, end): (Timestamp, Timestamp)| {
        u64::try_from(end.as_millis().saturating_sub(start.as_millis())).unwrap_or(0)
    };
    Ok(Call {
        call_id: call.id,
        message_id: call.message_id,
        name: call.name,
        origin: call.origin,
        arguments: call.arguments,
        status: call.status,
        content,
        duration_ms: call.started_at.zip(call.settled_at).map(spent),
    })
}

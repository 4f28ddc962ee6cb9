//! What came in and must be worked on. A repeated idempotency key finds the input it repeats.

use crate::{
    DataKey, Error, Result, Tx, Vault, args,
    crypto::seal::CellPlace,
    database::row::row,
    sessions::{label_bits, label_from},
};
use domain::{
    Answers, Asker, InputId, InputMode, Label, MessageAttachment, Sender, SessionId, Source, Timestamp,
    TurnId, UserId,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug)]
pub struct NewInput {
    pub id: InputId,
    pub session_id: SessionId,
    pub user_id: UserId,
    pub idempotency_key: Option<String>,
    pub turn_id: TurnId,
    pub mode: InputMode,
    /// What it answers.
    pub answers: Option<Answers>,
    pub source: Source,
    pub content: String,
    /// Uploads that go with the words.
    pub attachments: Vec<MessageAttachment>,
    /// Who said it, where a bridge delivers it.
    pub sender: Option<Sender>,
    /// The agent that says it, where it is neither a person nor the session's own.
    pub asker: Option<AgentRequest>,
    /// Where it comes from, as it was known when it came in.
    pub label: Label,
    /// The model that is to answer it, where its person chose one.
    pub model: Option<String>,
    pub at: Timestamp,
}

/// What an agent says to another one: which agent, and what is known of where it had it from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRequest {
    pub by: Asker,
    pub label: Label,
    /// What may be spent on it, in micro-USD, together with everything that belongs to the same work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    New,
    /// The key was used before in this session.
    Repeat {
        input_id: InputId,
        turn_id: TurnId,
        mode: InputMode,
        /// Whether it was used for the same words, joining in the same way.
        same_body: bool,
    },
}

/// An input as it is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInput {
    pub id: InputId,
    pub content: String,
    pub attachments: Vec<MessageAttachment>,
    pub sender: Option<Sender>,
    pub asker: Option<AgentRequest>,
    pub label: Label,
    pub mode: InputMode,
    pub source: Source,
    pub model: Option<String>,
    pub at: Timestamp,
}

row! {
    struct InputRow {
        id: InputId,
        mode: InputMode,
        source: Source,
        at: Timestamp,
        label: i64,
        body: Vec<u8>,
        attachments: Option<Vec<u8>>,
        sender: Option<Vec<u8>>,
        asker: Option<Vec<u8>>,
        model: Option<String>,
    }
}

/// More than this in one statement is split.
const CONSUMED_AT_ONCE: usize = 200;

const COLUMNS: &str = "id, mode, source, created_at, label, body, attachments, sender, asker, model";

impl InputRow {
    fn open(self, key: &DataKey) -> Result<StoredInput> {
        let content = key.open_text(place(&self.id), &self.body)?;
        let attachments = match &self.attachments {
            Some(sealed) => key.open_json(attachments_place(&self.id), sealed)?,
            None => Vec::new(),
        };
        let sender = match &self.sender {
            Some(sealed) => Some(key.open_json(sender_place(&self.id), sealed)?),
            None => None,
        };
        let sealed = self.asker.as_deref();
        let asker = sealed.map(|sealed| key.open_json(asker_place(&self.id), sealed)).transpose()?;
        let Self { id, mode, source, at, label, model, .. } = self;
        let label = label_from(label);
        Ok(StoredInput { id, content, attachments, sender, asker, label, mode, source, model, at })
    }
}

fn attachments_place(id: &InputId) -> CellPlace<'_> {
    CellPlace::new("inbox", "attachments", id)
}

fn sender_place(id: &InputId) -> CellPlace<'_> {
    CellPlace::new("inbox", "sender", id)
}

fn asker_place(id: &InputId) -> CellPlace<'_> {
    CellPlace::new("inbox", "asker", id)
}

fn place(id: &InputId) -> CellPlace<'_> {
    CellPlace::new("inbox", "body", id)
}

/// The user is part of it: no person can find out by trying which keys another has used.
fn dedupe_key(vault: &Vault, new: &NewInput) -> [u8; 32] {
    let user = new.user_id.to_string();
    match &new.idempotency_key {
        Some(key) => vault.digests().of("inbox.key", &[user.as_bytes(), key.as_bytes()]),
        None => vault.digests().of("inbox.id", &[new.id.to_string().as_bytes()]),
    }
}

fn body_digest(vault: &Vault, new: &NewInput) -> [u8; 32] {
    let user = new.user_id.to_string();
    let attachments: Vec<String> =
        new.attachments.iter().map(|attached| attached.upload_id().to_string()).collect();
    let mut parts = vec![user.as_bytes(), new.mode.as_str().as_bytes(), new.content.as_bytes()];
    parts.extend(attachments.iter().map(String::as_bytes));
    let answers = new.answers.map(|answers| answers.to_string());
    parts.extend(answers.as_deref().map(str::as_bytes));
    let model = new.model.as_ref().map(|model| format!("model {model}"));
    parts.extend(model.as_deref().map(str::as_bytes));
    vault.digests().of("inbox.body", &parts)
}

/// The first statement of accepting an input. Whether the session exists and is the user's is said by the
/// update of the session that follows it in the same transaction.
pub fn insert(tx: &mut Tx, vault: &Vault, key: &DataKey, new: &NewInput) -> Result<Inserted> {
    let idem = dedupe_key(vault, new);
    let digest = body_digest(vault, new);
    let body = key.seal(place(&new.id), new.content.as_bytes())?;
    let attachments = match new.attachments.as_slice() {
        [] => None,
        some => Some(key.seal_json(attachments_place(&new.id), &some)?),
    };
    let sender =
        new.sender.as_ref().map(|sender| key.seal_json(sender_place(&new.id), sender)).transpose()?;
    let asker = new.asker.as_ref().map(|asker| key.seal_json(asker_place(&new.id), asker)).transpose()?;
    let inserted: Option<InputId> = tx.maybe(
        "INSERT INTO inbox (id, session_id, user_id, idem, digest, turn_id, mode, source, created_at, body, \
             attachments, sender, asker, label, model) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
             ON CONFLICT (session_id, idem) DO NOTHING RETURNING id",
        args![
            new.id,
            new.session_id,
            new.user_id,
            idem,
            digest,
            new.turn_id,
            new.mode,
            new.source,
            new.at,
            body,
            attachments,
            sender,
            asker,
            label_bits(new.label),
            new.model.clone()
        ],
    )?;
    if inserted.is_some() {
        return Ok(Inserted::New);
    }
    let (input_id, turn_id, mode, known): (InputId, TurnId, InputMode, [u8; 32]) = tx
        .one(
            "SELECT id, COALESCE(told_turn, turn_id), CASE WHEN told_turn IS NULL THEN mode ELSE 'steer' END, digest FROM inbox \
             WHERE session_id = $1 AND idem = $2 AND user_id = $3",
            args![new.session_id, idem, new.user_id],
        )?;
    Ok(Inserted::Repeat { input_id, turn_id, mode, same_body: known == digest })
}

/// For an input whose way of joining was decided after it was stored, in the same transaction.
pub fn set_turn(tx: &mut Tx, id: InputId, turn: TurnId, mode: InputMode) -> Result<()> {
    let changed = tx.run("UPDATE inbox SET turn_id = $2, mode = $3 WHERE id = $1", args![id, turn, mode])?;
    if changed == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Words that steered too late become a turn of their own. The turn that was told to the person who steered stays what a
/// repetition of the same key is told.
pub fn move_to(tx: &mut Tx, id: InputId, turn: TurnId) -> Result<()> {
    let sql = "UPDATE inbox SET told_turn = COALESCE(told_turn, turn_id), turn_id = $2, mode = 'queue' WHERE id = $1";
    if tx.run(sql, args![id, turn])? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// The input that made the turn.
pub fn of_turn(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Option<StoredInput>> {
    let sql =
        format!("SELECT {COLUMNS} FROM inbox WHERE turn_id = $1 AND mode = 'queue' ORDER BY created_at, id");
    tx.maybe::<InputRow>(&sql, args![turn])?.map(|row| row.open(key)).transpose()
}

/// The inputs of a session whose turns have not begun, in their order; the first of them, as many as `bytes` hold.
pub fn waiting(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    mut bytes: u64,
) -> Result<Vec<(TurnId, StoredInput)>> {
    let sql = "SELECT t.id, CAST(LENGTH(i.body) AS BIGINT) FROM turns t \
               JOIN inbox i ON i.turn_id = t.id AND i.mode = 'queue' \
               WHERE t.session_id = $1 AND t.status = 'queued' ORDER BY t.position";
    let heads: Vec<(TurnId, u64)> = tx.all(sql, args![session])?;
    let mut found = Vec::new();
    for (turn, size) in heads {
        if !found.is_empty() && size > bytes {
            break;
        }
        bytes = bytes.saturating_sub(size);
        found.extend(of_turn(tx, key, turn)?.map(|input| (turn, input)));
    }
    Ok(found)
}

/// The steering inputs that the turn has not taken in yet, in the order in which they came.
pub fn steering(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<StoredInput>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM inbox WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL \
         ORDER BY created_at, id"
    );
    tx.all::<InputRow>(&sql, args![turn])?.into_iter().map(|row| row.open(key)).collect()
}

/// How much the steering inputs hold that the turn has not taken in yet, in bytes. Nothing of them is opened for it.
pub fn steering_bytes(tx: &mut Tx, turn: TurnId) -> Result<u64> {
    let sql = "SELECT CAST(COALESCE(SUM(LENGTH(body)), 0) AS BIGINT) FROM inbox \
               WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL";
    tx.one(sql, args![turn])
}

/// The same inputs without their words.
pub fn steering_heads(tx: &mut Tx, turn: TurnId) -> Result<Vec<(InputId, Source)>> {
    let sql = "SELECT id, source FROM inbox WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL \
               ORDER BY created_at, id";
    tx.all(sql, args![turn])
}

/// Marks inputs as taken in.
pub fn consume(tx: &mut Tx, ids: &[InputId], at: Timestamp) -> Result<()> {
    for some in ids.chunks(CONSUMED_AT_ONCE) {
        let mut values = args![at];
        let mut places = Vec::with_capacity(some.len());
        for id in some {
            values.extend(args![*id]);
            places.push(format!("${}", values.len()));
        }
        let sql = format!(
            "UPDATE inbox SET consumed_at = $1 WHERE consumed_at IS NULL AND id IN ({})",
            places.join(", ")
        );
        tx.run(&sql, values)?;
    }
    Ok(())
}

/// Forgets inputs that came before and are done with (taken in, or their turn has ended), and with them
/// their idempotency keys. Says how many.
pub fn prune(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    tx.run(
        "DELETE FROM inbox WHERE created_at < $1 AND (consumed_at IS NOT NULL \
         OR EXISTS (SELECT 1 FROM turns t WHERE t.id = inbox.turn_id AND t.status = 'ended'))",
        args![before],
    )
}

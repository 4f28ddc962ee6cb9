//! Summaries of the earlier parts of sessions. The messages that a summary stands for stay where they are.

use crate::{
    Conflict, DataKey, Result, Tx, args,
    crypto::seal::CellPlace,
    database::row::row,
    sessions::{MOST_PER_CALL, label_bits, label_from},
};
use domain::{Label, ModelCallId, SessionId, Timestamp, Usage, UserId};
use std::fmt;

/// A summary, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Counts up from 1.
    pub generation: u64,
    /// The last message that it stands for.
    pub up_to_seq: u64,
    /// 1 = in sections, 2 = bullets, 3 = cut without a model.
    pub level: u32,
    /// Of the summary.
    pub tokens: u64,
    /// The worst among what it stands for.
    pub label: Label,
    pub created_at: Timestamp,
    pub summary: String,
}

row! {
    pub(crate) struct CompactionRow {
        generation: u64,
        up_to_seq: u64,
        level: u32,
        tokens: u64,
        label: i64,
        created_at: Timestamp,
        summary: Vec<u8>,
    }
}

/// The columns of a [`CompactionRow`], for `compactions c`.
pub(crate) const COLUMNS: &str =
    "c.generation, c.up_to_seq, c.level, c.tokens, c.label, c.created_at, c.summary";

/// Binds a summary to what it stands for and to what is known of its origin.
struct CompactionPlace<'a> {
    session: &'a SessionId,
    generation: u64,
    up_to_seq: u64,
    label: i64,
}

impl fmt::Display for CompactionPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.session, self.generation, self.up_to_seq, self.label)
    }
}

impl CompactionRow {
    pub(crate) fn open(self, key: &DataKey, session: &SessionId) -> Result<Compaction> {
        let Self { generation, up_to_seq, level, tokens, label, created_at, summary } = self;
        let row = CompactionPlace { session, generation, up_to_seq, label };
        let summary = key.open_text(CellPlace::new("compactions", "summary", &row), &summary)?;
        Ok(Compaction { generation, up_to_seq, level, tokens, label: label_from(label), created_at, summary })
    }
}

/// The newest one.
pub fn latest(tx: &mut Tx, key: &DataKey, session: SessionId) -> Result<Option<Compaction>> {
    before(tx, key, session, u64::MAX)
}

/// The newest one that stands only for messages before `seq`.
pub fn before(tx: &mut Tx, key: &DataKey, session: SessionId, seq: u64) -> Result<Option<Compaction>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM compactions c WHERE c.session_id = $1 AND c.up_to_seq < $2 \
         ORDER BY c.generation DESC LIMIT 1"
    );
    let row: Option<CompactionRow> = tx.maybe(&sql, args![session, seq])?;
    row.map(|row| row.open(key, &session)).transpose()
}

/// Stores the next one. [`Conflict::NewerSummary`] when another was stored meanwhile: what it was made from is no longer what is told.
/// The caller holds the lock of the session.
pub fn add(tx: &mut Tx, key: &DataKey, session: SessionId, new: &Compaction) -> Result<()> {
    let label = label_bits(new.label);
    let row =
        CompactionPlace { session: &session, generation: new.generation, up_to_seq: new.up_to_seq, label };
    let summary = key.seal(CellPlace::new("compactions", "summary", &row), new.summary.as_bytes())?;
    let sql = "INSERT INTO compactions (session_id, generation, up_to_seq, level, tokens, label, created_at, summary) \
               SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE NOT EXISTS (\
                 SELECT 1 FROM compactions c \
                 WHERE c.session_id = $1 AND (c.generation >= $2 OR c.up_to_seq >= $3))";
    let values =
        args![session, new.generation, new.up_to_seq, new.level, new.tokens, label, new.created_at, summary];
    match tx.run(sql, values)? {
        0 => Err(Conflict::NewerSummary.into()),
        _ => Ok(()),
    }
}

/// Notes the request for a summary that is about to be made. Gives the one that was noted before and never ended: a crash
/// cut it off, or another worker is making one. `NotFound` when the user has no such session.
pub fn begin_call(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    call: ModelCallId,
) -> Result<Option<ModelCallId>> {
    let sql = "SELECT compaction_call FROM sessions WHERE id = $1 AND user_id = $2";
    let before: Option<ModelCallId> = tx.one(sql, args![session, user])?;
    tx.run("UPDATE sessions SET compaction_call = $2 WHERE id = $1", args![session, call])?;
    Ok(before)
}

/// The request has ended: what it cost is part of what the session cost.
pub fn end_call(tx: &mut Tx, session: SessionId, call: ModelCallId, usage: Usage) -> Result<()> {
    let capped = |count: u64| count.min(MOST_PER_CALL);
    let sql = "UPDATE sessions SET input_tokens = input_tokens + $3, output_tokens = output_tokens + $4, \
                 cached_tokens = cached_tokens + $5, cost_microusd = cost_microusd + $6, \
                 compaction_call = CASE WHEN compaction_call = $2 THEN NULL ELSE compaction_call END \
               WHERE id = $1";
    let values = args![
        session,
        call,
        capped(usage.input_tokens),
        capped(usage.output_tokens),
        capped(usage.cached_tokens),
        usage.cost_microusd.map(capped)
    ];
    tx.run(sql, values)?;
    Ok(())
}

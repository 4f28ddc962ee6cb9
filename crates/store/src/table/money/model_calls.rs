//! Requests to models and what they cost. They hold no words, and outlive the session they were made for.

use crate::{Result, Tx, args};
use domain::{AgentId, ModelCallId, SessionId, Timestamp, TurnId, Usage, UserId};

#[derive(Clone, Debug)]
pub struct NewModelCall {
    pub id: ModelCallId,
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub user_id: UserId,
    pub agent_id: AgentId,
    pub step: u32,
    pub attempt: u32,
    /// `provider/model`.
    pub model: String,
    pub at: Timestamp,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedModelCall {
    pub ok: bool,
    pub usage: Usage,
    /// How many really went out; absent when that is not known.
    pub requests: Option<u32>,
    /// The usage is our own estimate.
    pub estimated: bool,
}

impl EndedModelCall {
    /// Nothing went out.
    pub const UNSENT: Self = Self { ok: false, usage: Usage::ZERO, requests: Some(0), estimated: false };
}

/// Noted before the request goes out.
pub fn start(tx: &mut Tx, new: &NewModelCall) -> Result<()> {
    tx.run(
        "INSERT INTO model_calls (id, session_id, turn_id, user_id, agent_id, step, attempt, model, status, \
         input_tokens, output_tokens, cached_tokens, started_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'started', 0, 0, 0, $9)",
        args![
            new.id,
            new.session_id,
            new.turn_id,
            new.user_id,
            new.agent_id,
            new.step,
            new.attempt,
            new.model.as_str(),
            new.at
        ],
    )?;
    Ok(())
}

/// `false` when it is not open any more.
pub fn finish(tx: &mut Tx, id: ModelCallId, ended: EndedModelCall, at: Timestamp) -> Result<bool> {
    let EndedModelCall { ok, usage, requests, estimated } = ended;
    let changed = tx.run(
        "UPDATE model_calls SET status = $2, input_tokens = $3, output_tokens = $4, cached_tokens = $5, \
             cost_microusd = $6, ended_at = $7, requests = $8, estimated = $9 \
             WHERE id = $1 AND status = 'started'",
        args![
            id,
            if ok { "ok" } else { "failed" },
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            usage.cost_microusd,
            at,
            requests.map(u64::from),
            u64::from(estimated)
        ],
    )?;
    Ok(changed > 0)
}

/// As [`finish`], also when another worker has given it up meanwhile: for a request of which only its maker knows what it
/// cost.
pub fn settle(tx: &mut Tx, id: ModelCallId, ended: EndedModelCall, at: Timestamp) -> Result<()> {
    let reopen = "UPDATE model_calls SET status = 'started' WHERE id = $1";
    tx.run(reopen, args![id])?;
    finish(tx, id, ended, at)?;
    Ok(())
}

/// It was noted, and waits for a person before it goes out.
pub fn hold(tx: &mut Tx, id: ModelCallId) -> Result<()> {
    let sql = "UPDATE model_calls SET requests = 0 WHERE id = $1 AND status = 'started'";
    tx.run(sql, args![id])?;
    Ok(())
}

/// Closes one whose answer no worker waits for any more; its cost is not known.
pub fn give_up(tx: &mut Tx, id: ModelCallId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE model_calls SET status = 'failed', ended_at = $2 WHERE id = $1 AND status = 'started'";
    tx.run(sql, args![id, at])?;
    Ok(())
}

/// Closes what a crash left open: those answers never came, their cost is unknown. Says how many.
pub fn fail_open(tx: &mut Tx, turn: TurnId, at: Timestamp) -> Result<u64> {
    let sql =
        "UPDATE model_calls SET status = 'failed', ended_at = $2 WHERE turn_id = $1 AND status = 'started'";
    tx.run(sql, args![turn, at])
}

//! The session row as the lock and the counter of its turns: every writer of a session passes through one of
//! these updates, so `seq` has no gap and no duplicate, and at most one turn is active.

use super::Numbers;
use crate::{Conflict, Error, Result, Tx, args};
use domain::{SessionId, SessionStatus, Timestamp, TurnId, Usage, UserId};

/// No model call uses more; what a provider claims beyond it must not overflow the sums.
pub(crate) const MOST_PER_CALL: u64 = 1_000_000_000_000;

/// What an input got.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    /// Those of the input's events.
    pub numbers: Numbers,
    /// Its turn is the active one; otherwise it waits its turn.
    pub started: bool,
    /// Inputs that wait, this one included if it does.
    pub pending: u64,
    /// It waits although nothing is active, behind others that do so: the process that ended the last turn was going down
    /// and began none. The caller has to start them.
    pub idle: bool,
}

/// Takes an input into a session: does it exist, is it this user's and not archived (`None` otherwise), the
/// lock, the numbers of the events, and the claim if nothing is active and nothing waits.
pub fn take_input(
    tx: &mut Tx,
    session: SessionId,
    user: UserId,
    turn: TurnId,
    events_if_started: u64,
    events_if_queued: u64,
    now: Timestamp,
) -> Result<Option<Taken>> {
    let taken: Option<(u64, bool, u64, bool)> = tx.maybe(
        "UPDATE sessions SET \
           last_seq = last_seq + CASE WHEN active_turn IS NULL AND pending = 0 THEN $4 ELSE $5 END, \
           message_count = message_count + CASE WHEN active_turn IS NULL AND pending = 0 THEN 1 ELSE 0 END, \
           pending = pending + CASE WHEN active_turn IS NULL AND pending = 0 THEN 0 ELSE 1 END, \
           status = CASE WHEN active_turn IS NULL AND pending = 0 THEN 'working' ELSE status END, \
           active_turn = CASE WHEN active_turn IS NULL AND pending = 0 THEN $3 ELSE active_turn END, \
           updated_at = $6 \
         WHERE id = $1 AND user_id = $2 AND archived = 0 \
         RETURNING last_seq, CAST(CASE WHEN active_turn = $3 THEN 1 ELSE 0 END AS BIGINT), pending, \
           CAST(CASE WHEN active_turn IS NULL THEN 1 ELSE 0 END AS BIGINT)",
        args![session, user, turn, events_if_started, events_if_queued, now],
    )?;
    Ok(taken.map(|(last, started, pending, idle)| {
        let count = if started { events_if_started } else { events_if_queued };
        Taken { numbers: Numbers::up_to(last, count, user, session), started, pending, idle }
    }))
}

/// The turn that a steering input joins.
#[derive(Debug, PartialEq, Eq)]
pub struct Steered {
    /// That of the one event that is the input's.
    pub numbers: Numbers,
    pub turn_id: TurnId,
    /// Steering inputs that wait, this one included.
    pub waiting: u64,
}

/// `None` when no turn is active (or the session is not there): then it is an input like any other.
pub fn steer(tx: &mut Tx, session: SessionId, user: UserId, now: Timestamp) -> Result<Option<Steered>> {
    let steered: Option<(u64, TurnId, u64)> = tx.maybe(
        "UPDATE sessions SET last_seq = last_seq + 1, steering = steering + 1, updated_at = $3 \
         WHERE id = $1 AND user_id = $2 AND archived = 0 AND active_turn IS NOT NULL \
         RETURNING last_seq, active_turn, steering",
        args![session, user, now],
    )?;
    Ok(steered.map(|(last, turn_id, waiting)| Steered {
        numbers: Numbers::up_to(last, 1, user, session),
        turn_id,
        waiting,
    }))
}

/// What becomes of the active turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Active {
    /// It stays as it is, whatever it is.
    Keep,
    /// This one goes on. [`Error::Fenced`] when it is not the active one.
    GoesOn(TurnId),
    /// This one ends. [`Error::Fenced`] when it is not the active one.
    Ends(TurnId),
    /// The turn that waited longest; one fewer is pending. [`Error::Fenced`] while another one is active.
    Next(TurnId),
    /// A turn that had ended runs once more. [`Error::Conflict`] while another one is active.
    Again(TurnId),
}

/// One step of a turn, as far as the session is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    pub events: u64,
    pub messages: u64,
    pub usage: Usage,
    /// Steering inputs that this step took in.
    pub steered: u64,
    pub status: SessionStatus,
    pub active: Active,
    pub now: Timestamp,
}

/// The session after the step.
#[derive(Debug, PartialEq, Eq)]
pub struct Advanced {
    /// Those of the step's events.
    pub numbers: Numbers,
    pub pending: u64,
    /// Steering inputs that are still waiting. A worker that would end a turn while there are some returns
    /// a refusal from the transaction and takes them in first.
    pub steering: u64,
}

/// Takes the numbers for a step's events and accounts for it, behind the lock of the session. [`Error::NotFound`] when the session is
/// gone and the step belongs to no turn.
pub fn advance(tx: &mut Tx, user: UserId, session: SessionId, step: Advance) -> Result<Advanced> {
    let (changes, turn, promoted) = match step.active {
        Active::Keep | Active::GoesOn(_) => (false, None, 0_u64),
        Active::Ends(_) => (true, None, 0),
        Active::Next(turn) => (true, Some(turn), 1),
        Active::Again(turn) => (true, Some(turn), 0),
    };
    // What must be active before the step: anything, nothing, or this turn.
    let (asked, expected) = match step.active {
        Active::Keep => (0_u64, None),
        Active::Next(_) | Active::Again(_) => (1, None),
        Active::GoesOn(turn) | Active::Ends(turn) => (2, Some(turn)),
    };
    let capped = |count: u64| count.min(MOST_PER_CALL);
    let advanced: Option<(u64, u64, u64)> = tx.maybe(
        "UPDATE sessions SET last_seq = last_seq + $2, message_count = message_count + $3, \
               input_tokens = input_tokens + $4, output_tokens = output_tokens + $5, \
               cached_tokens = cached_tokens + $6, cost_microusd = cost_microusd + $7, \
               steering = CASE WHEN steering > $8 THEN steering - $8 ELSE 0 END, status = $9, \
               active_turn = CASE WHEN $10 = 0 THEN active_turn ELSE $11 END, \
               pending = CASE WHEN pending > $12 THEN pending - $12 ELSE 0 END, updated_at = $13 \
             WHERE id = $1 AND ($14 = 0 OR ($14 = 1 AND active_turn IS NULL) OR ($14 = 2 AND active_turn = $15)) \
             RETURNING last_seq, pending, steering",
        args![
            session,
            step.events,
            step.messages,
            capped(step.usage.input_tokens),
            capped(step.usage.output_tokens),
            capped(step.usage.cached_tokens),
            step.usage.cost_microusd.map(capped),
            step.steered,
            step.status,
            changes,
            turn,
            promoted,
            step.now,
            asked,
            expected
        ],
    )?;
    let (last, pending, steering) = advanced.ok_or_else(|| match step.active {
        Active::Keep => Error::NotFound,
        Active::Again(_) => Conflict::TurnActive.into(),
        Active::GoesOn(_) | Active::Ends(_) | Active::Next(_) => Error::Fenced,
    })?;
    Ok(Advanced { numbers: Numbers::up_to(last, step.events, user, session), pending, steering })
}

/// Locks the session until this transaction ends, as the first of what it locks; gives the active turn. `None` when there is no such
/// session.
pub fn hold(tx: &mut Tx, user: UserId, session: SessionId) -> Result<Option<Option<TurnId>>> {
    let sql = "UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 RETURNING active_turn";
    tx.maybe(sql, args![session, user])
}

/// Is nothing active in the session? Then no other transaction starts anything in it before this transaction ends.
pub fn hold_idle(tx: &mut Tx, user: UserId, session: SessionId) -> Result<bool> {
    let sql = "UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 AND active_turn IS NULL";
    Ok(tx.run(sql, args![session, user])? > 0)
}

/// Steering inputs that a turn left behind become waiting ones: one event number for each.
pub fn requeue(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    inputs: u64,
    now: Timestamp,
) -> Result<Numbers> {
    let sql = "UPDATE sessions SET last_seq = last_seq + $2, pending = pending + $2, steering = 0, updated_at = $3 \
               WHERE id = $1 RETURNING last_seq";
    let last = tx.one(sql, args![session, inputs, now])?;
    Ok(Numbers::up_to(last, inputs, user, session))
}

/// Takes the numbers for events that belong to no turn. Without a time the session does not count as used.
pub fn take_seq(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    events: u64,
    now: impl Into<Option<Timestamp>>,
) -> Result<Numbers> {
    let sql = "UPDATE sessions SET last_seq = last_seq + $3, updated_at = COALESCE($4, updated_at) \
               WHERE id = $1 AND user_id = $2 RETURNING last_seq";
    let last = tx.one(sql, args![session, user, events, now.into()])?;
    Ok(Numbers::up_to(last, events, user, session))
}

/// Takes the number for a message that belongs to no turn.
pub fn take_message(tx: &mut Tx, user: UserId, session: SessionId, now: Timestamp) -> Result<Numbers> {
    let sql = "UPDATE sessions SET last_seq = last_seq + 1, message_count = message_count + 1, updated_at = $3 \
               WHERE id = $1 AND user_id = $2 RETURNING last_seq";
    let last = tx.one(sql, args![session, user, now])?;
    Ok(Numbers::up_to(last, 1, user, session))
}

/// One input fewer waits, because its turn was ended before it began. Gives the number of the event that says so.
pub fn drop_pending(tx: &mut Tx, user: UserId, session: SessionId, now: Timestamp) -> Result<Numbers> {
    let sql = "UPDATE sessions SET last_seq = last_seq + 1, updated_at = $2, \
                 pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END WHERE id = $1 RETURNING last_seq";
    let last = tx.one(sql, args![session, now])?;
    Ok(Numbers::up_to(last, 1, user, session))
}

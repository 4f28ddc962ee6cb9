//! Titles of sessions that no person named: tried a few times, given once, never in the place of a person's name.

use crate::{
    DataKey, Result, Tx, args,
    sessions::{self, Numbers},
};
use domain::{SessionId, Timestamp, TurnId, Usage, UserId};

/// As often as this a title is tried; a crash in the middle of every try must not cost for ever.
const TRIES: u32 = 3;
/// No title costs more; what a provider claims beyond it must not overflow the sums.
const MOST: u64 = 1_000_000_000_000;

/// Has it no name? Asked so of a session that is found by its id: PostgreSQL, which may think that few sessions have none, would otherwise
/// look for it among those of everybody.
const UNNAMED: &str = "CASE WHEN name IS NULL THEN 1 ELSE 0 END = 1";

/// Takes one of the tries. `false` when there is none left, or the session has a name or is not there.
pub fn take_try(tx: &mut Tx, user: UserId, session: SessionId) -> Result<bool> {
    let sql = format!(
        "UPDATE sessions SET title_tries = title_tries + 1 \
         WHERE id = $1 AND user_id = $2 AND {UNNAMED} AND title_tries < $3"
    );
    Ok(tx.run(&sql, args![session, user, TRIES])? > 0)
}

/// Names the session, accounts for what the title cost and takes one event number, which it gives back. `None` when
/// another writer was faster.
pub fn give(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    session: SessionId,
    title: &str,
    usage: Usage,
) -> Result<Option<Numbers>> {
    let name = sessions::seal_name(key, &session, title)?;
    let capped = |count: u64| count.min(MOST);
    let sql = format!(
        "UPDATE sessions SET name = $3, title_tries = $4, last_seq = last_seq + 1, \
           input_tokens = input_tokens + $5, output_tokens = output_tokens + $6, \
           cached_tokens = cached_tokens + $7, cost_microusd = cost_microusd + $8 \
         WHERE id = $1 AND user_id = $2 AND {UNNAMED} RETURNING last_seq"
    );
    let last: Option<u64> = tx.maybe(
        &sql,
        args![
            session,
            user,
            name,
            TRIES,
            capped(usage.input_tokens),
            capped(usage.output_tokens),
            capped(usage.cached_tokens),
            usage.cost_microusd.map(capped)
        ],
    )?;
    Ok(last.map(|last| Numbers::up_to(last, 1, user, session)))
}

/// No node tries once more to find a title for a session where that was begun.
pub(crate) fn give_up(tx: &mut Tx) -> Result<()> {
    let sql = "UPDATE sessions SET title_tries = $1 WHERE name IS NULL AND title_tries > 0";
    tx.run(sql, args![TRIES])?;
    Ok(())
}

/// Sessions in which a title was tried and never given, that were used since. Not those for which a model has been asked after
/// `asked_before`: another node may be waiting for the answer.
pub fn unfinished(
    tx: &mut Tx,
    since: Timestamp,
    asked_before: Timestamp,
    most: u32,
) -> Result<Vec<(SessionId, UserId)>> {
    let sql = "SELECT s.id, s.user_id FROM sessions s WHERE s.name IS NULL AND s.updated_at > $1 \
               AND s.title_tries > 0 AND s.title_tries < $2 AND NOT EXISTS (SELECT 1 FROM turns t JOIN model_calls m ON m.turn_id = t.id \
                 WHERE t.session_id = s.id AND m.step = 0 AND m.attempt = 0 AND m.status = 'started' AND m.started_at > $4) \
               ORDER BY s.updated_at DESC LIMIT $3";
    tx.all(sql, args![since, TRIES, most, asked_before])
}

/// Closes the request of an earlier try for a title, which a crash left open: its cost is not known. Others of the turn are their makers'.
pub fn give_up_call(tx: &mut Tx, turn: TurnId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE model_calls SET status = 'failed', ended_at = $2 \
               WHERE turn_id = $1 AND step = 0 AND attempt = 0 AND status = 'started'";
    tx.run(sql, args![turn, at])?;
    Ok(())
}

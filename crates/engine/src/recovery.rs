//! Taking up what a dead worker left: at the start, and whenever a lease runs out.

use crate::{
    answers::Awaited,
    commit::{Committed, Starter},
    engine::Engine,
    error::Result,
    record::Record,
    worker::{Claimed, Recovery},
    wreck,
};
use domain::{SessionId, UserId};
use store::{
    DataKey, calls,
    calls::StoredCall,
    sessions::{self, Staffed},
    turns::{self, Orphan, StoredTurn},
};

/// Claims every turn that should run and does not.
pub(crate) async fn sweep(engine: &Engine) -> Result<()> {
    let (node, now) = (engine.inner.node, engine.now());
    let orphans = engine.store().read(async move |tx| turns::orphans(tx, node, now).await).await?;
    for orphan in orphans {
        if engine.runs_session(orphan.session_id) {
            continue;
        }
        if let Err(error) = take_up(engine, &orphan).await {
            tracing::error!(turn = %orphan.turn_id, %error, "a turn could not be taken up; it is tried again");
        }
    }
    let waiting = engine.store().read(async move |tx| turns::idle_queued(tx).await).await?;
    for (session, user) in waiting {
        if let Err(error) = engine.start_waiting(session, user).await {
            tracing::error!(%session, %error, "a waiting turn could not be started; it is tried again");
        }
    }
    engine.settle_errands().await
}

pub(crate) async fn take_up(engine: &Engine, orphan: &Orphan) -> Result<()> {
    let key = engine.store().data_key(orphan.user_id).await?;
    let (turn_id, epoch, session, user) = (orphan.turn_id, orphan.epoch, orphan.session_id, orphan.user_id);
    let (node, lease, now) = (engine.inner.node, engine.lease_until(), engine.now());
    let (claim_key, vault) = (key.clone(), engine.store().vault().clone());
    fail::fail_point!("claim_before_commit");
    let ending = engine.clone();
    let claim = async move |tx: &mut store::Tx| {
        let Some(turn) = turns::claim(tx, &claim_key, turn_id, epoch, node, lease, now).await? else {
            return Ok(None);
        };
        let Some(found) = sessions::with_agent(tx, &vault, &claim_key, user, session).await? else {
            return Ok(None);
        };
        let calls = calls::of_turn(tx, &claim_key, turn_id).await;
        let answers = Awaited::read(tx, &claim_key, turn_id).await;
        Ok(Some(match (record(&turn), calls, answers) {
            (Some(record), Ok(calls), Ok(answers)) => {
                Found::Whole(Box::new(Whole { turn, record, calls, answers, staffed: found }))
            }
            // Only what cannot be read is beyond help; what cannot be had now is asked for again.
            (Some(_), Err(error), _) | (Some(_), _, Err(error)) if !wreck::is_unreadable(&error) => {
                return Err(error);
            }
            _ => Found::Wreck(Box::new(wreck::end(tx, &ending, &claim_key, &turn, found, now).await?)),
        }))
    };
    let Some(found) = engine.store().write(claim).await? else { return Ok(()) };
    fail::fail_point!("claim_after_commit");
    let Whole { turn, record, calls, answers, staffed: Staffed { session, agent, usable } } = match found {
        Found::Whole(found) => *found,
        Found::Wreck(committed) => {
            tracing::error!(turn = %turn_id, %session, "the state of a turn cannot be read; it has ended as failed");
            wreck::announce(engine, user, (session, turn_id), *committed);
            return Ok(());
        }
    };
    tracing::info!(turn = %turn.id, session = %session.id, attempt = turn.attempt, "taking up a turn");
    let recovery = Recovery { stalls: turn.stalls, stop: turn.cancelled, calls, answers, woken: false };
    let claimed = Claimed {
        key,
        session,
        agent,
        unshared: !usable,
        turn_id: turn.id,
        epoch: turn.epoch,
        attempt: turn.attempt,
        source: turn.source,
        record,
        recovery: Some(recovery),
        announced: None,
    };
    engine.run_turn(claimed, &[]);
    Ok(())
}

/// Everything that is needed to go on.
struct Whole {
    turn: StoredTurn,
    record: Record,
    calls: Vec<StoredCall>,
    answers: Awaited,
    staffed: Staffed,
}

/// What a dead worker left of a turn.
enum Found {
    Whole(Box<Whole>),
    /// Too little to go on: it has been ended.
    Wreck(Box<Committed>),
}

pub(crate) fn record(turn: &StoredTurn) -> Option<Record> {
    Record::from_bytes(turn.state.as_deref()?).ok()
}

impl Engine {
    /// Starts the next waiting turn of a session in which nothing runs.
    pub(crate) async fn start_waiting(&self, session_id: SessionId, user: UserId) -> Result<()> {
        let key: DataKey = self.store().data_key(user).await?;
        let (engine, now) = (self.clone(), self.now());
        fail::fail_point!("waiting_before_commit");
        let start = async move |tx: &mut store::Tx| {
            // Asked once more where it cannot change any more: a session runs one turn at a time.
            if !turns::idle_queued(tx).await?.contains(&(session_id, user)) {
                return Ok(None);
            }
            let starter = Starter { engine: &engine, key: &key, session_id, now };
            starter.start_next(tx, user).await
        };
        let started = self.store().write(start).await?;
        fail::fail_point!("waiting_after_commit");
        if let Some((claimed, events)) = started {
            self.run_turn(claimed, &events);
        }
        Ok(())
    }
}

//! Taking up what a dead worker left: at the start, and whenever a lease runs out.

use crate::worker::commit_refusal::CommitRefusal;
use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    claim::{
        claimed::{Claimed, Recovery},
        record::{Record, is_unreadable},
    },
    engine::Engine,
    error::{Error, Result},
    recovery::{
        pace,
        pauses::TakeUpPauses,
        unreadable_turn::{self, EndReason, Remains, UnreadableTurn},
    },
    store_retry::Patience,
    wake_ups::WakeUp,
    worker::write_plan::CommittedPlan,
};
use async_trait::async_trait;
use domain::{SessionId, TurnId, UserId};
use futures_util::StreamExt as _;
use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};
use store::{
    DataKey,
    sessions::{self, Staffed},
    turns::{self, Orphan, StoredTurn},
};
use tokio::time::Instant;

/// Looks for what a dead worker left, at once and then whenever a lease may have run out. Neither the start nor the sign
/// of life waits for it.
#[derive(Default)]
pub(crate) struct TakeOverTurns {
    /// Sessions without a title have been looked for: once, after the first search for turns.
    titles: AtomicBool,
}

#[async_trait]
impl BackgroundJob for TakeOverTurns {
    fn name(&self) -> &'static str {
        "takeover"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { insists_at_start: true, woken_by: Some(WakeUp::LeftTurns), ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let taken_over = take_over_turns(engine).await;
        let waits = matches!(&taken_over, Err(Error::Store(error)) if error.is_transient());
        if !waits
            && !self.titles.swap(true, Ordering::Relaxed)
            && let Err(error) = engine.recover_titles().await
        {
            tracing::warn!(%error, "looking for sessions without a title failed; they stay without");
        }
        taken_over
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::In(engine.inner.settings.turn.lease)
    }
}

/// Claims every turn that should run and does not, as fast as [`pace`] lets it. What cannot be taken up is tried once.
async fn take_over_turns(engine: &Engine) -> Result<()> {
    let mut tried = HashSet::new();
    while !engine.is_draining() {
        engine.check_not_cut_off()?;
        let (node, now, dead) = (engine.inner.node, engine.lease_time(), engine.dead_before());
        let orphans = engine.store().read(move |tx| turns::orphans(tx, node, now, dead)).await?;
        let pauses = engine.state::<TakeUpPauses>();
        let mut left =
            pauses.turns.due(engine.without_worker(orphans), |orphan| orphan.turn_id, Instant::now());
        left.retain(|orphan| !tried.contains(&orphan.turn_id));
        if left.is_empty() {
            break;
        }
        let next = engine.first_of(left, |orphan| orphan.turn_id);
        tried.extend(next.iter().map(|orphan| orphan.turn_id));
        pace::paced(next).for_each_concurrent(pace::AT_ONCE, |orphan| take(engine, orphan)).await;
    }
    let mut tried = HashSet::new();
    while !engine.is_draining() {
        let waiting = engine.store().read(turns::idle_queued).await?;
        let pauses = engine.state::<TakeUpPauses>();
        let mut left = pauses.sessions.due(waiting, |(session, _)| *session, Instant::now());
        left.retain(|(session, _)| !tried.contains(session));
        if left.is_empty() {
            break;
        }
        let next = engine.first_of(left, |(session, _)| *session);
        tried.extend(next.iter().map(|(session, _)| *session));
        pace::paced(next)
            .for_each_concurrent(pace::AT_ONCE, |(session, user)| start(engine, session, user))
            .await;
    }
    Ok(())
}

async fn take(engine: &Engine, orphan: Orphan) {
    engine.claims_settled(orphan.session_id).await;
    if engine.is_draining() || engine.has_worker(orphan.turn_id, orphan.session_id) {
        return;
    }
    if let Err(error) = take_up(engine, &orphan).await {
        let is_new = !helps_itself(&error)
            && engine.state::<TakeUpPauses>().turns.failed(orphan.turn_id, Instant::now());
        if is_new || helps_itself(&error) {
            tracing::error!(turn = %orphan.turn_id, %error, "a turn could not be taken up; it is tried again");
        }
        if lacks_key(&error) && engine.has_other_nodes() {
            engine.leave_to_others(&orphan).await;
        }
    }
}

impl Engine {
    /// Another node may have the key that this one lacks; as long as the turn counts as this node's, it is not taken up there.
    async fn leave_to_others(&self, orphan: &Orphan) {
        let (turn, epoch) = (orphan.turn_id, orphan.epoch);
        if let Err(error) = self.store().write(move |tx| turns::hand_over(tx, turn, epoch)).await {
            tracing::warn!(%turn, %error, "a turn could not be left to other servers; it is tried again");
        }
    }
}

/// The same may work at once when the database is well again. For anything else, what is missing has to come first.
fn helps_itself(error: &Error) -> bool {
    matches!(error, Error::Store(error) if error.is_undone() || matches!(error, store::Error::Uncertain(_)))
}

fn lacks_key(error: &Error) -> bool {
    matches!(error, Error::Store(store::Error::NewerMasterKey { .. }))
}

async fn start(engine: &Engine, session: SessionId, user: UserId) {
    if engine.is_draining() {
        return;
    }
    if let Err(error) = engine.start_waiting(session, user).await {
        let is_new =
            !helps_itself(&error) && engine.state::<TakeUpPauses>().sessions.failed(session, Instant::now());
        if is_new || helps_itself(&error) {
            tracing::error!(%session, %error, "a waiting turn could not be started; it is tried again");
        }
    }
}

pub(crate) async fn take_up(engine: &Engine, orphan: &Orphan) -> Result<()> {
    engine.check_not_cut_off()?;
    let key = match engine.store().data_key(orphan.user_id).await {
        Err(error) if is_unreadable(&error) => return engine.end_unopened(*orphan).await,
        key => key?,
    };
    let (turn_id, epoch, session, user) = (orphan.turn_id, orphan.epoch, orphan.session_id, orphan.user_id);
    let (node, now) = (engine.inner.node, engine.now());
    let (claim_key, vault) = (key.clone(), engine.store().vault().clone());
    let _claiming = engine.claiming(session);
    fail::fail_point!("claim_before_commit");
    let ending = engine.clone();
    let claim = move |tx: &mut store::Tx| {
        // The session before the turn, as every other writer.
        if sessions::hold(tx, user, session)?.flatten() != Some(turn_id) {
            return Ok(None);
        }
        let lease = (ending.lease_until(), ending.dead_before());
        let Some(turn) = turns::claim(tx, &claim_key, turn_id, epoch, node, lease, now)? else {
            return Ok(None);
        };
        let (remains, why) = match sessions::with_agent(tx, &vault, &claim_key, user, session) {
            Ok(Some(staffed)) if !turn.restored => match whole(tx, &claim_key, &turn, staffed)? {
                Ok(whole) => return Ok(Some(TakenTurn::Whole(Box::new(whole)))),
                Err(staffed) => (staffed.into(), EndReason::Unreadable),
            },
            Err(error) if !is_unreadable(&error) => return Err(CommitRefusal::Store(error)),
            _ => {
                let found = Remains::read(tx, &vault, &claim_key, user, session)?;
                let Some((remains, why)) = found else { return Ok(None) };
                let why =
                    if turn.restored { EndReason::Restored } else { why.unwrap_or(EndReason::Unreadable) };
                (remains, why)
            }
        };
        let (engine, key, said) = (&ending, &claim_key, None);
        let unreadable = UnreadableTurn { engine, key, turn: &turn, remains, why, said, now };
        Ok(Some(TakenTurn::Ended(Box::new(unreadable.end(tx)?), why)))
    };
    let Some(found) = engine.store().attempt(claim).await? else { return Ok(()) };
    fail::fail_point!("claim_after_commit");
    let claimed = match found {
        TakenTurn::Whole(claimed) => *claimed,
        TakenTurn::Ended(committed, why) => {
            tracing::warn!(turn = %turn_id, %session, ?why, "a turn cannot go on; it has ended as failed");
            unreadable_turn::announce(engine, user, (session, turn_id), *committed);
            return Ok(());
        }
    };
    if let Err(Error::Store(error)) = engine.registry_of(&claimed.agent).await
        && !error.is_transient()
    {
        tracing::warn!(turn = %turn_id, %session, %error, "a turn cannot go on; it is ended");
        return end_taken(engine, &claimed).await;
    }
    tracing::info!(turn = %turn_id, session = %session, attempt = claimed.attempt, "taking up a turn");
    engine.run_turn(claimed, &[]);
    Ok(())
}

/// Ends a turn that was taken up and that no worker can run: what its agent needs besides cannot be read.
async fn end_taken(engine: &Engine, claimed: &Claimed) -> Result<()> {
    let (user, session, turn_id) = (claimed.session.user_id, claimed.session.id, claimed.turn_id);
    let (ending, key, epoch, now) = (engine.clone(), claimed.key.clone(), claimed.epoch, engine.now());
    let end = move |tx: &mut store::Tx| {
        if sessions::hold(tx, user, session)?.flatten() != Some(turn_id) {
            return Ok(None);
        }
        turns::fence(tx, turn_id, epoch)?;
        let Some(turn) = turns::get(tx, &key, user, turn_id)? else { return Ok(None) };
        let vault = ending.store().vault();
        let Some((remains, why)) = Remains::read(tx, vault, &key, user, session)? else { return Ok(None) };
        let (engine, key, said, why) = (&ending, &key, None, why.unwrap_or(EndReason::Unreadable));
        UnreadableTurn { engine, key, turn: &turn, remains, why, said, now }.end(tx).map(Some)
    };
    match engine.store().attempt(end).await {
        Ok(Some(committed)) => unreadable_turn::announce(engine, user, (session, turn_id), committed),
        // Another node has taken it.
        Ok(None) | Err(CommitRefusal::Store(store::Error::Fenced)) => {}
        Err(refusal) => return Err(refusal.into()),
    }
    Ok(())
}

/// What a dead worker left of a turn.
enum TakenTurn {
    /// Everything that is needed to go on.
    Whole(Box<Claimed>),
    /// Too little to go on: it has been ended.
    Ended(Box<CommittedPlan>, EndReason),
}

/// The turn with what is needed to go on; gives the session back when something of the turn cannot be read.
fn whole(
    tx: &mut store::Tx,
    key: &DataKey,
    turn: &StoredTurn,
    staffed: Staffed,
) -> store::Result<std::result::Result<Claimed, Staffed>> {
    let Some(record) = Record::of(turn) else { return Ok(Err(staffed)) };
    match Recovery::load(tx, key, turn, false) {
        Ok(recovery) => Ok(Ok(Claimed::new(key.clone(), staffed, turn.into(), record, Some(recovery)))),
        // Only what cannot be read is beyond help; what cannot be had now is asked for again.
        Err(error) if !is_unreadable(&error) => Err(error),
        Err(_) => Ok(Err(staffed)),
    }
}

/// Takes up a turn whose worker had to stop although no process died: at once, and again until the database can. What
/// cannot be taken up for another reason is found by the next search of [`TakeOverTurns`].
pub(crate) fn take_up_soon(engine: &Engine, turn: TurnId) {
    if !engine.inner.settings.turn.takes_up {
        return;
    }
    let (taking, node) = (engine.clone(), engine.inner.node);
    engine.spawn("orphaned turn", async move {
        let engine = taking;
        let mut patience = Patience::default();
        while !engine.is_draining() {
            let ours = engine.store().read(move |tx| turns::ours(tx, turn, node)).await;
            let taken = match ours {
                Ok(Some(orphan)) if engine.is_claiming(orphan.session_id) => {
                    engine.claims_settled(orphan.session_id).await;
                    continue;
                }
                // Another task was faster.
                Ok(Some(orphan)) if engine.has_worker(turn, orphan.session_id) => return,
                Ok(Some(orphan)) => take_up(&engine, &orphan).await,
                Ok(None) => return,
                Err(error) => Err(error.into()),
            };
            match taken {
                Err(Error::Store(error)) if error.is_transient() => {
                    patience.wait(&engine, &error).await;
                }
                Err(error) => {
                    tracing::error!(%turn, %error, "a turn could not be taken up; it is tried again");
                    return;
                }
                Ok(()) => return,
            }
        }
    });
}

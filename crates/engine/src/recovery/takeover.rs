//! Taking up what a dead worker left: at the start, and whenever a lease runs out.

use crate::worker::commit_refusal::CommitRefusal;
use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    claim::{
        claimed::{Claimed, Recovery},
        from_queue::QueuedTurnStarter,
        record::{Record, is_unreadable},
    },
    engine::Engine,
    error::{Error, Result},
    recovery::{
        pace,
        unreadable_turn::{self, EndReason, Remains, UnreadableTurn},
    },
    store_retry::Patience,
    wake_ups::WakeUp,
    worker::write_plan::CommittedPlan,
};
use async_trait::async_trait;
use domain::{SessionId, SessionStatus, Timestamp, TurnId, Usage, UserId};
use futures_util::StreamExt as _;
use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};
use store::{
    DataKey, inbox,
    sessions::{self, Active, Advance, Staffed},
    turns::{self, Orphan, StoredTurn},
};

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
        let mut left = engine.without_worker(orphans);
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
        let mut left = engine.store().read(turns::idle_queued).await?;
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
        tracing::error!(turn = %orphan.turn_id, %error, "a turn could not be taken up; it is tried again");
    }
}

async fn start(engine: &Engine, session: SessionId, user: UserId) {
    if engine.is_draining() {
        return;
    }
    if let Err(error) = engine.start_waiting(session, user).await {
        tracing::error!(%session, %error, "a waiting turn could not be started; it is tried again");
    }
}

pub(crate) async fn take_up(engine: &Engine, orphan: &Orphan) -> Result<()> {
    engine.check_not_cut_off()?;
    let key = engine.store().data_key(orphan.user_id).await?;
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

impl Engine {
    /// Starts the next waiting turn of a session in which nothing runs. One that cannot start is ended, in words, and the
    /// one behind it has its turn.
    pub(crate) async fn start_waiting(&self, session: SessionId, user: UserId) -> Result<()> {
        let mut patience = Patience::default();
        loop {
            let Some(first) = self.store().read(move |tx| turns::first_queued(tx, session)).await? else {
                return Ok(());
            };
            let why = match self.start_next(session, user).await {
                Ok(NextQueued::Started | NextQueued::None) => return Ok(()),
                Ok(NextQueued::Restored) => EndReason::Restored,
                Err(Error::Store(error)) if patience.again(self, &error).await => continue,
                Err(Error::Store(error)) if error.is_transient() => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(%session, %error, "a waiting turn cannot be started; it is ended");
                    EndReason::Unstartable
                }
            };
            if self.is_draining() || !self.end_waiting((session, first), user, why).await? {
                return Ok(());
            }
        }
    }

    async fn start_next(&self, session_id: SessionId, user: UserId) -> Result<NextQueued> {
        self.check_not_cut_off()?;
        let key: DataKey = self.store().data_key(user).await?;
        let (engine, now) = (self.clone(), self.now());
        let _claiming = self.claiming(session_id);
        fail::fail_point!("waiting_before_commit");
        let start = move |tx: &mut store::Tx| {
            // Asked where it cannot change any more: a session runs one turn at a time.
            if !sessions::hold_idle(tx, user, session_id)? {
                return Ok(None);
            }
            let starter = QueuedTurnStarter { engine: &engine, key: &key, session_id, now };
            Ok(Some(starter.start_next(tx, user)?))
        };
        let started = self.store().write(start).await?;
        fail::fail_point!("waiting_after_commit");
        Ok(match started {
            None => NextQueued::None,
            // What waits, if it still does, is not to be run.
            Some(None) => NextQueued::Restored,
            Some(Some((claimed, events))) => {
                self.run_turn(claimed, &events);
                NextQueued::Started
            }
        })
    }

    /// Ends the next waiting turn of a session in which nothing runs, because it cannot start. `false` when another one is the next by now:
    /// a second node may have ended it, and nothing is known of the one behind it.
    async fn end_waiting(
        &self,
        (session_id, first): (SessionId, TurnId),
        user: UserId,
        why: EndReason,
    ) -> Result<bool> {
        let key: DataKey = self.store().data_key(user).await?;
        let (engine, node, now) = (self.clone(), self.inner.node, self.now());
        fail::fail_point!("unstartable_before_commit");
        let end = move |tx: &mut store::Tx| {
            if !sessions::hold_idle(tx, user, session_id)? {
                return Ok(None);
            }
            let Some(turn) = turns::seize(tx, &key, (session_id, first), node, engine.lease_until(), now)?
            else {
                return Ok(None);
            };
            sessions::advance(tx, user, session_id, seized(turn.id, now))?;
            let vault = engine.store().vault();
            let found = Remains::read(tx, vault, &key, user, session_id)?;
            let (remains, found) = found.ok_or(store::Error::NotFound)?;
            let (said, unread) = match inbox::of_turn(tx, &key, turn.id) {
                Ok(Some(input)) => (Some(input.into()), None),
                Ok(None) => (None, Some(EndReason::UnreadableInput)),
                Err(error) if is_unreadable(&error) => (None, Some(EndReason::UnreadableInput)),
                Err(error) => return Err(CommitRefusal::Store(error)),
            };
            let why = unread.or(found).unwrap_or(why);
            let unreadable =
                UnreadableTurn { engine: &engine, key: &key, turn: &turn, remains, why, said, now };
            let committed = unreadable.end(tx)?;
            Ok(Some((turn.id, committed)))
        };
        let Some((turn, committed)) = self.store().attempt(end).await? else { return Ok(false) };
        fail::fail_point!("unstartable_after_commit");
        // The caller goes on with what waits behind it.
        unreadable_turn::announce(
            self,
            user,
            (session_id, turn),
            CommittedPlan { waiting: false, ..committed },
        );
        Ok(true)
    }
}

/// As [`Engine::start_waiting`], in a task of its own.
pub(crate) fn start_waiting_soon(engine: &Engine, session: SessionId, user: UserId) {
    let starting = engine.clone();
    engine.spawn("waiting turn", async move {
        if let Err(error) = starting.start_waiting(session, user).await {
            tracing::error!(%session, %error, "a waiting turn could not be started; it is tried again");
        }
    });
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

/// What became of the turn that has waited longest.
enum NextQueued {
    Started,
    None,
    /// It came with a backup, and is not to be run.
    Restored,
}

/// The session is the turn's until it is ended, in the same transaction.
fn seized(turn: TurnId, now: Timestamp) -> Advance {
    Advance {
        events: 0,
        messages: 0,
        usage: Usage::ZERO,
        steered: 0,
        status: SessionStatus::Working,
        active: Active::Next(turn),
        now,
    }
}

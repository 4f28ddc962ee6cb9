//! Starting what waits in a session where nothing runs; what cannot start is ended.

use crate::{
    claim::{from_queue::QueuedTurnStarter, record::is_unreadable},
    engine::Engine,
    error::{Error, Result},
    recovery::unreadable_turn::{self, EndReason, Remains, UnreadableTurn},
    store_retry::Patience,
    worker::{commit_refusal::CommitRefusal, write_plan::CommittedPlan},
};
use domain::{SessionId, SessionStatus, Timestamp, TurnId, Usage, UserId};
use store::{
    DataKey, inbox,
    sessions::{self, Active, Advance},
    turns,
};

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
        let key: DataKey = match self.store().data_key(user).await {
            Err(error) if is_unreadable(&error) => {
                return self.end_unopened_queued((session_id, first), user).await;
            }
            key => key?,
        };
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

/// What became of the turn that has waited longest.
enum NextQueued {
    Started,
    None,
    /// It came with a backup, and is not to be run.
    Restored,
}

/// The session is the turn's until it is ended, in the same transaction.
pub(super) fn seized(turn: TurnId, now: Timestamp) -> Advance {
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

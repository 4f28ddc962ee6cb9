//! How what came of an errand reaches the agent that waits, exactly once; and how work stops that no agent waits for.
//!
//! The end of the working turn and its answer are one transaction; the delivery is another, which changes a row that can
//! change once and wakes the one who waits. Whatever a crash leaves between the two is found by [`DeliverErrands`].

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    claim::{
        planned_call::CallOutcome,
        wake_turn::{ParkedTurnWaker, WokenTurn, working},
    },
    engine::Engine,
    error::Result,
    recovery::takeover,
    waiting::{expiry::SettledCount, settle_refusal::SettleRefusal},
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::{
    AgentState, ErrandOutcome, ErrandStatus, Event, EventBody, Label, ResultStatus, SessionStatus, Timestamp,
    TurnId, TurnOutcome, Usage,
};
use store::{
    DataKey, Tx,
    errands::{self as rows, Errand, ErrandAnswer},
    log::{self, Entry},
    sessions::{self, Numbers},
    turns,
};

/// Finds the answers that were not delivered and the turns that were not stopped, because a process died in between.
pub(crate) struct DeliverErrands;

#[async_trait]
impl BackgroundJob for DeliverErrands {
    fn name(&self) -> &'static str {
        "errand delivery"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { insists_at_start: true, woken_by: Some(WakeUp::LeftErrands), ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        engine.settle_errands().await
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::In(engine.inner.settings.turn.lease)
    }
}

const TIME_OVER: &str = "the other agent did not answer in time and was stopped";

/// See [`crate::claim::turn_starter::TurnStarter::settle_errands`].
pub(crate) fn settle_soon(engine: &Engine, turns: Vec<TurnId>) {
    let settling = engine.clone();
    engine.spawn("errands", async move {
        for turn in turns {
            match settling.store().read(move |tx| rows::of_turn(tx, turn)).await {
                Ok(Some(errand)) => settling.settle_errand(errand).await,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "an errand could not be read; it is tried again"),
            }
        }
    });
}

impl Engine {
    /// Delivers every answer that waits for it, and stops every turn that no agent waits for.
    async fn settle_errands(&self) -> Result<()> {
        let due = self.store().read(rows::due).await?;
        for errand in due {
            self.settle_errand(errand).await;
        }
        Ok(())
    }

    async fn settle_errand(&self, errand: Errand) {
        // A process that is going down wakes no turn: other nodes are told, or it is found at the next start.
        if self.is_draining() {
            self.left_to_others();
            return;
        }
        let settled = match errand.status {
            ErrandStatus::Ended => self.deliver(errand, None).await.map(drop),
            ErrandStatus::Withdrawn | ErrandStatus::Expired => self.stop_errand(errand).await,
            ErrandStatus::Sent | ErrandStatus::Pending | ErrandStatus::Delivered => Ok(()),
        };
        if let Err(error) = settled {
            tracing::error!(turn = %errand.turn_id, %error, "an errand could not be settled; it is tried again");
        }
    }

    /// Ends the waiting for every errand whose time is over. Says how many.
    pub async fn expire_errands(&self) -> Result<usize> {
        let now = self.now();
        let due = self.store().read(move |tx| rows::expired(tx, now)).await?;
        let mut tally = SettledCount::default();
        for errand in due {
            tally.add(self.expire_errand(errand).await);
        }
        tally.told()
    }

    async fn expire_errand(&self, errand: Errand) -> Result<bool> {
        let content = CallOutcome::error(ResultStatus::Error, TIME_OVER).content;
        let (outcome, status) = (ErrandOutcome::Expired, ResultStatus::Error);
        let over = ErrandAnswer { outcome, status, content, label: Label::TRUSTED_PUBLIC };
        let expired = self.deliver(errand, Some(over)).await?;
        if expired {
            self.stop_errand(errand).await?;
        }
        Ok(expired)
    }

    /// Tells the one who waits; false when it has been told, or waits no longer. `over`: instead of an answer.
    async fn deliver(&self, errand: Errand, over: Option<ErrandAnswer>) -> Result<bool> {
        self.check_open()?;
        let (user, session) = (errand.user_id, errand.parent_session);
        let key = self.store().data_key(user).await?;
        let delivery = Delivery { engine: self.clone(), key, errand, over, now: self.now() };
        let _claiming = self.claiming(session);
        fail::fail_point!("deliver_before_commit");
        let written = self.store().attempt(move |tx: &mut Tx| delivery.write(tx)).await;
        fail::fail_point!("deliver_after_commit");
        self.continue_turn(written, user, session, errand.parent_turn)
    }

    /// Stops the turn of an errand, durably, whether it runs, waits or has not begun.
    async fn stop_errand(&self, errand: Errand) -> Result<()> {
        let (key, now) = (self.store().data_key(errand.user_id).await?, self.now());
        fail::fail_point!("errand_stop_before_commit");
        let events = self.store().write(move |tx| stop(tx, &key, errand, now)).await?;
        fail::fail_point!("errand_stop_after_commit");
        self.publish(errand.user_id, errand.session_id, &events);
        self.stop_everywhere(errand.turn_id);
        match self.store().read(move |tx| turns::unowned(tx, errand.turn_id)).await? {
            Some(orphan) => takeover::take_up(self, &orphan).await,
            None => Ok(()),
        }
    }
}

/// An answer on its way to the one who waits.
struct Delivery {
    engine: Engine,
    key: DataKey,
    errand: Errand,
    over: Option<ErrandAnswer>,
    now: Timestamp,
}

impl Delivery {
    /// The session of the one who waits comes first: a worker that parks the turn at the same moment either did so before,
    /// and it is woken here, or will find the answer.
    fn write(self, tx: &mut Tx) -> Result<(Vec<Event>, WokenTurn), SettleRefusal> {
        let Errand { turn_id, parent_session, parent_turn, parent_call, session_id, user_id, .. } =
            self.errand;
        let numbers = sessions::take_seq(tx, user_id, parent_session, 1, self.now)?;
        let outcome = match &self.over {
            Some(over) => {
                if !rows::expire(tx, &self.key, turn_id, over, self.now)? {
                    return Err(SettleRefusal::Settled);
                }
                over.outcome
            }
            None => rows::deliver(tx, &self.key, turn_id)?.ok_or(SettleRefusal::Settled)?.outcome,
        };
        let ended = EventBody::ErrandEnded { call_id: parent_call, session_id, outcome };
        let mut events = self.append(tx, numbers, ended)?;
        let waker = ParkedTurnWaker {
            engine: &self.engine,
            key: &self.key,
            session_id: parent_session,
            now: self.now,
        };
        let woken = waker.wake(tx, user_id, parent_turn)?;
        if woken.claimed().is_some_and(|woken| woken.session.status == SessionStatus::InputRequired) {
            let numbers = working(tx, user_id, parent_session, self.now)?;
            let state = AgentState::Working;
            events.extend(self.append(tx, numbers, EventBody::AgentStatus { state })?);
        }
        Ok((events, woken))
    }

    fn append(&self, tx: &mut Tx, numbers: Numbers, body: EventBody) -> store::Result<Vec<Event>> {
        let entries = vec![Entry::Event { turn_id: Some(self.errand.parent_turn), body }];
        log::append(tx, &self.key, numbers, self.now, entries)
    }
}

fn stop(tx: &mut Tx, key: &DataKey, errand: Errand, now: Timestamp) -> store::Result<Vec<Event>> {
    let Errand { turn_id, session_id, user_id, .. } = errand;
    rows::done(tx, turn_id)?;
    if turns::request_cancel_of(tx, turn_id, now)? || turns::has_ended(tx, turn_id)? {
        return Ok(Vec::new());
    }
    // It waits behind others, and leaves the queue.
    let numbers = sessions::drop_pending(tx, user_id, session_id, now)?;
    if !turns::drop_queued(tx, turn_id, now)? {
        return Err(store::Error::Fenced);
    }
    let (outcome, error, usage) = (TurnOutcome::Cancelled, None, Usage::ZERO);
    let body = EventBody::TurnEnded { outcome, error, usage };
    let entries = vec![Entry::Event { turn_id: Some(turn_id), body }];
    log::append(tx, key, numbers, now, entries)
}

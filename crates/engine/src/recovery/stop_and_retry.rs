//! What a person may do to a turn: stop it, run it once more.

use crate::{
    claim::{
        claimed::Claimed,
        from_queue::{QueuedTurnStarter, TurnBeginning},
        record::Record,
    },
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
    recovery::takeover,
};
use domain::{Event, SessionId, TurnId, TurnOutcome, TurnStatus, UserId};
use store::{
    Conflict, Tx,
    idempotency::{KeyUse, Keyed},
    sessions::{self as rows, Active, Staffed},
    turns,
};

/// Why a stop was not stored.
#[derive(Debug, thiserror::Error)]
enum StopRefusal {
    /// The key was used before, and this is what it stopped.
    #[error("this stop was asked for before")]
    Repeated(String),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Engine {
    /// Stops the running turn, durably. `None` when nothing runs. A repeated key stops nothing else, and finds the turn that the
    /// first one stopped.
    pub async fn abort(
        &self,
        user: UserId,
        id: SessionId,
        idempotency_key: Option<String>,
    ) -> Result<Option<TurnId>> {
        idempotency_key::check_key(idempotency_key.as_deref())?;
        self.session(user, id).await?;
        let keyed = self.keyed(user, &format!("stop {id}"), idempotency_key, String::new(), String::new());
        let engine = self.clone();
        self.undisturbed(async move { engine.request_stop(user, id, keyed).await }).await
    }

    pub(crate) async fn request_stop(
        &self,
        user: UserId,
        id: SessionId,
        keyed: Option<Keyed>,
    ) -> Result<Option<TurnId>> {
        let (now, vault) = (self.now(), self.store().vault().clone());
        fail::fail_point!("cancel_before_commit");
        let cancel = move |tx: &mut Tx| {
            let turn = turns::request_cancel(tx, id, user, now)?;
            let made = turn.map_or_else(String::new, |turn| turn.to_string());
            let keyed = keyed.map(|keyed| Keyed { made, ..keyed });
            match idempotency_key::note(tx, &vault, keyed.as_ref())? {
                KeyUse::First => Ok(turn),
                // The transaction stops nothing then.
                KeyUse::Repeat { made, .. } => Err(StopRefusal::Repeated(made)),
            }
        };
        let turn = match self.store().attempt(cancel).await {
            Err(StopRefusal::Repeated(made)) => return Ok(made.parse().ok()),
            Err(StopRefusal::Store(error)) => return Err(error.into()),
            Ok(turn) => turn,
        };
        fail::fail_point!("cancel_after_commit");
        if let Some(turn) = turn {
            self.carry_out_stop(turn).await?;
        }
        Ok(turn)
    }

    /// What follows once it is stored that a turn is to stop.
    pub(crate) async fn carry_out_stop(&self, turn: TurnId) -> Result<()> {
        self.stop_everywhere(turn);
        self.take_up_parked(turn).await
    }

    /// A turn that waited for a person has no worker that could end it: it is taken up for that.
    async fn take_up_parked(&self, turn: TurnId) -> Result<()> {
        if !self.inner.settings.turn.takes_up {
            return Ok(());
        }
        match self.store().read(move |tx| turns::unowned(tx, turn)).await? {
            Some(orphan) => takeover::take_up(self, &orphan).await,
            None => Ok(()),
        }
    }

    /// Runs the newest turn once more if it failed, from the transcript it has. Returns the turn and where to follow.
    pub async fn retry(&self, user: UserId, id: SessionId) -> Result<(TurnId, u64)> {
        self.staffed(user, id).await?;
        let engine = self.clone();
        self.undisturbed(async move { engine.run_again(user, id).await }).await
    }

    async fn run_again(&self, user: UserId, id: SessionId) -> Result<(TurnId, u64)> {
        // Not earlier: the shutdown waits for this task, and nothing may begin after it has waited.
        self.check_takes_work()?;
        // No takeover takes for abandoned what runs from the commit on.
        let _claiming = self.claiming(id);
        fail::fail_point!("retry_before_commit");
        let started = self.reopen(user, id).await?;
        fail::fail_point!("retry_after_commit");
        let Some((claimed, events)) = started else {
            return Err(Error::conflict(
                "nothing_to_retry",
                "The last reply of this conversation did not fail, so there is nothing to retry.",
            ));
        };
        let turn = claimed.turn_id;
        self.run_turn(claimed, &events);
        Ok((turn, events.first().map_or(0, |event| event.seq.saturating_sub(1))))
    }

    async fn reopen(&self, user: UserId, id: SessionId) -> Result<Option<(Claimed, Vec<Event>)>> {
        let (engine, key, now) = (self.clone(), self.store().data_key(user).await?, self.now());
        let start = move |tx: &mut Tx| {
            if !rows::hold_idle(tx, user, id)? {
                return Ok(None);
            }
            let Some(turn) = turns::latest(tx, &key, id)? else { return Ok(None) };
            let failed = matches!(turn.outcome, Some(TurnOutcome::Failed | TurnOutcome::Limit));
            if turn.status != TurnStatus::Ended || !failed {
                return Ok(None);
            }
            let found = rows::with_agent(tx, engine.store().vault(), &key, user, id)?;
            // Whether its person may still use the agent was asked before; what changed since then is seen at the next request.
            let staffed = Staffed { usable: true, ..found.ok_or(store::Error::NotFound)? };
            let ceiling = engine.ceiling_of(tx, &key, &turn)?;
            let record = Record::of(&turn);
            let fresh = || (engine.new_state(staffed.agent.limits), None);
            let (mut state, model) = record.map_or_else(fresh, |record| (record.state, record.model));
            state.limits = staffed.agent.limits;
            let again = TurnBeginning { state, ceiling, model };
            let starter = QueuedTurnStarter { engine: &engine, key: &key, session_id: id, now };
            starter.start(tx, staffed, turn, None, again, Active::Again).map(Some)
        };
        match self.store().write(start).await {
            Err(store::Error::Conflict(Conflict::TurnActive)) => Ok(None),
            other => Ok(other?),
        }
    }
}

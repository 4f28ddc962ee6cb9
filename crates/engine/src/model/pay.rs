//! The money of a turn's requests: held back before each, by what its person and its agent may spend at that moment.

use crate::{
    budget::purse::{Money, Paid, Purse, Question, Refusal},
    error::Result,
    model::ask::Ask,
    store_retry::Patience,
    worker::Worker,
};
use store::{Tx, model_calls, sessions, turns};
use turn::Input;

/// No turn waits longer for another agent.
const ERRAND_MS: i64 = 7 * 24 * 3_600 * 1_000;

impl Worker {
    /// Holds back what the open request may cost. `false` when it must not be made: the machine has been told, or the turn
    /// is taken up again.
    pub(crate) async fn hold_back(&mut self, most_output: u64) -> bool {
        self.paid = None;
        let mut patience = Patience::default();
        let held = loop {
            match self.try_hold_back(most_output, 0, 0).await {
                Err(error) if patience.again_after(&self.engine, &error).await => {}
                held => break held,
            }
        };
        match held {
            Ok(Money::NotNeeded) => true,
            Ok(Money::Held(paid)) => {
                self.paid = Some(paid);
                true
            }
            Ok(Money::Refused(Refusal::UnknownPrice { model, caps, .. })) => {
                self.weigh_price(model, caps).await
            }
            Ok(Money::Refused(refusal)) => {
                tracing::info!(code = refusal.words().error.code, "the model is not asked");
                self.refusal = Some(refusal);
                self.heard.push_back(Input::BudgetRefused);
                false
            }
            Err(error) => {
                tracing::warn!(%error, "money could not be held back; the turn is taken up again");
                self.lost = true;
                false
            }
        }
    }

    /// The vendor of an answer wants to be asked to go on: that is a request of its own, and money is held back for it. Where
    /// there is none, the turn is paused; or, where the answer has made calls already, it ends with what it has.
    pub(crate) async fn go_on(&mut self) {
        let (Some(asking), Ok(model)) = (&self.asking, &self.model) else { return };
        let Ask::Streaming(stream) = asking else { return };
        let so_far = self.counted(asking).unwrap_or_else(|| self.estimated());
        let besides = stream.beginning().map_or(0, |beginning| model.estimate(&beginning));
        let before = model.cost(so_far).unwrap_or(0);
        let left = self.draft.most_output.saturating_sub(so_far.output);
        let most = match self.try_hold_back(left, besides, before).await {
            // The leave that its first request was given is for the turn.
            Ok(Money::NotNeeded | Money::Refused(Refusal::UnknownPrice { .. })) => left,
            Ok(Money::Held(Paid(tokens))) => left.min(tokens),
            Ok(Money::Refused(_)) if self.record.state.committed => 0,
            Ok(Money::Refused(refusal)) => {
                tracing::info!(code = refusal.words().error.code, "the model is not asked to go on");
                self.account_for_draft();
                self.refusal = Some(refusal);
                return self.heard.push_back(Input::BudgetRefused);
            }
            Err(error) => {
                tracing::warn!(%error, "money could not be held back; the turn is taken up again");
                self.lost = true;
                return;
            }
        };
        if let Some(Ask::Streaming(stream)) = &mut self.asking
            && !stream.go_on(most)
        {
            tracing::info!("the answer pauses and ends here");
        }
    }

    /// Budgets may have changed since the turn began: what holds is what holds at the request.
    async fn look_at_budgets(&mut self) -> Result<()> {
        let (user, session) = (self.session.user_id, self.session.id);
        let (key, vault) = (self.key.clone(), self.engine.store().vault().clone());
        let read = async move |tx: &mut Tx| {
            let person = store::users::by_id(tx, &vault, user).await?.ok_or(store::Error::NotFound)?;
            let staffed = sessions::with_agent(tx, &vault, &key, user, session).await?;
            Ok((person, staffed.ok_or(store::Error::NotFound)?))
        };
        let (person, staffed) = self.engine.store().read(read).await?;
        self.person = Some(person);
        self.agent.budget = staffed.agent.budget;
        Ok(())
    }

    /// The first request of a turn is made right after everything was read.
    fn is_first_request(&self) -> bool {
        let state = &self.record.state;
        state.step <= 1 && state.attempt <= 1 && self.asking.is_none()
    }

    async fn try_hold_back(&mut self, most_output: u64, besides: u64, before: u64) -> Result<Money> {
        if !self.is_first_request() {
            self.look_at_budgets().await?;
        }
        let (Ok(model), Some(request)) = (&self.model, &self.request) else { return Ok(Money::NotNeeded) };
        let person = match &self.person {
            Some(person) => person.clone(),
            None => self.engine.user(self.session.user_id).await?,
        };
        let (agent, turn) = (self.agent.clone(), self.turn_id);
        let since = match self.source.is_part_of_turn() {
            // That one began earlier.
            true => self.record.since.plus_millis(-ERRAND_MS),
            false => self.record.since,
        };
        let ceiling = self.record.ceiling;
        let purse = Purse::new(&person, &agent, turn, since).below(ceiling);
        let unnoted = self.unnoted.then(|| self.request_row());
        if unnoted.is_none() && purse.caps(self.engine.inner.settings.budget.default).is_none() {
            return Ok(Money::NotNeeded);
        }
        let (engine, call, epoch) = (self.engine.clone(), self.record.model_call_id, self.epoch);
        let (model, request) = (model.clone(), request.clone());
        let write = async move |tx: &mut Tx| {
            let purse = Purse::new(&person, &agent, turn, since).below(ceiling);
            if let Some(new) = unnoted {
                // The wait is over: from now on it may be on its way. Somebody else may have taken the turn meanwhile.
                turns::fence(tx, turn, epoch).await?;
                model_calls::start(tx, &new).await?;
            }
            let asked = Question { request: &request, most_output, besides, before };
            engine.hold_back(tx, call, purse, &model, asked).await
        };
        fail::fail_point!("reserve_before_commit");
        let money = self.engine.store().write(write).await?;
        fail::fail_point!("reserve_after_commit");
        self.unnoted = false;
        Ok(money)
    }
}

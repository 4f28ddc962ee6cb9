//! The money of a turn's requests: reserved before each, by what its person and its agent may spend at that moment.

use crate::{
    budget::{
        payer::Payer,
        quote::QuotedRequest,
        reserve::{Money, PaidTokens, Refusal},
    },
    claim::turn_context::{Inputs, TurnLost, TurnView},
    error::Result,
    model::asking::{Asking, RunningRequest},
    store_retry::Patience,
};
use domain::Timestamp;
use store::{Tx, audit::AuditEntry, model_calls, sessions, turns};
use turn::Input;

/// No turn waits longer for another agent.
const ERRAND_MS: i64 = 7 * 24 * 3_600 * 1_000;

impl Asking {
    /// Reserves what the open request may cost. `None` when it may be made, otherwise what the machine hears instead.
    pub(super) async fn hold_back(
        &mut self,
        at: &mut TurnView<'_>,
        audits: &mut Vec<AuditEntry>,
        most_output: u64,
    ) -> std::result::Result<Option<Input>, TurnLost> {
        self.paid = None;
        match self.hold_back_in_time(at, most_output, 0, 0).await {
            Ok(Money::NotNeeded) => Ok(None),
            Ok(Money::Held(paid)) => {
                self.paid = Some(paid);
                Ok(None)
            }
            Ok(Money::Refused(Refusal::UnknownPrice { model, caps, .. })) => {
                self.weigh_price(at, audits, &model, caps).await
            }
            Ok(Money::Refused(refusal)) => {
                tracing::info!(code = refusal.words().error.code, "the model is not asked");
                self.refusal = Some(refusal);
                Ok(Some(Input::BudgetRefused))
            }
            Err(error) => {
                tracing::warn!(%error, "money could not be held back; the turn is taken up again");
                Err(TurnLost)
            }
        }
    }

    /// The vendor of an answer wants to be asked to go on: that is a request of its own, and money is reserved for it. Where
    /// there is none, the turn is paused; or, where the answer has made calls already, it ends with what it has.
    pub(crate) async fn go_on(&mut self, at: &mut TurnView<'_>) -> Inputs {
        let (Some(asking), Ok(model)) = (&self.stream, &self.model) else { return Ok(Vec::new()) };
        let RunningRequest::Streaming(stream) = asking else { return Ok(Vec::new()) };
        let so_far = self.counted(asking).unwrap_or_else(|| self.estimated());
        let besides = stream.beginning().map_or(0, |beginning| model.estimate(&beginning));
        let before = model.cost(so_far).unwrap_or(0);
        let left = self.draft.most_output.saturating_sub(so_far.output);
        let id = model.id().to_owned();
        let most = match self.hold_back_in_time(at, left, besides, before).await {
            // The key that it would be asked with was deleted.
            Ok(_) if at.turn.engine.models().resolve(Some(&id)).is_err() => 0,
            // The approval that its first request was given holds for the turn.
            Ok(Money::NotNeeded | Money::Refused(Refusal::UnknownPrice { .. })) => left,
            Ok(Money::Held(PaidTokens(tokens))) => left.min(tokens),
            Ok(Money::Refused(_)) if at.record.state.committed => 0,
            Ok(Money::Refused(refusal)) => {
                tracing::info!(code = refusal.words().error.code, "the model is not asked to go on");
                self.account_for_draft();
                self.refusal = Some(refusal);
                return Ok(vec![Input::BudgetRefused]);
            }
            Err(error) => {
                tracing::warn!(%error, "money could not be held back; the turn is taken up again");
                return Err(TurnLost);
            }
        };
        if let Some(RunningRequest::Streaming(stream)) = &mut self.stream
            && !stream.go_on(most)
        {
            tracing::info!("the answer pauses and ends here");
        }
        Ok(Vec::new())
    }

    /// The first request of a turn is made right after everything was read.
    fn is_first_request(&self, at: &TurnView<'_>) -> bool {
        let state = &at.record.state;
        state.step <= 1 && state.attempt <= 1 && self.stream.is_none()
    }

    /// As [`Self::try_hold_back`], once the database can do it: the tools of the turn run on meanwhile.
    async fn hold_back_in_time(
        &mut self,
        at: &mut TurnView<'_>,
        most_output: u64,
        besides: u64,
        before: u64,
    ) -> Result<Money> {
        let mut patience = Patience::default();
        loop {
            match self.try_hold_back(at, most_output, besides, before).await {
                Err(error) if patience.again_after(&at.turn.engine, &error).await => {}
                held => return held,
            }
        }
    }

    async fn try_hold_back(
        &mut self,
        at: &mut TurnView<'_>,
        most_output: u64,
        besides: u64,
        before: u64,
    ) -> Result<Money> {
        if !self.is_first_request(at) {
            look_at_budgets(at).await?;
            // What the open answer has cost so far is counted by the model that gives it.
            if self.stream.is_none() {
                self.keep_up(at.turn.engine.models());
            }
        }
        let (Ok(model), Some(request)) = (&self.model, &self.request) else { return Ok(Money::NotNeeded) };
        let person = match &at.owner.person {
            Some(person) => person.clone(),
            None => at.turn.engine.people().user(at.turn.session.user_id).await?,
        };
        let (agent, turn, since) = (at.owner.paying_agent(at.turn), at.turn.turn_id, begun(at));
        let ceiling = at.record.ceiling;
        let payer = Payer::new(&person, &agent, turn, since).below(ceiling);
        let (call, epoch) = (at.record.model_call_id, at.turn.epoch);
        let unnoted =
            self.unnoted.then(|| at.turn.model_call_row(call, &at.record.state, at.turn.engine.now()));
        if unnoted.is_none() && payer.caps(at.turn.engine.inner.settings.budget.default).is_none() {
            return Ok(Money::NotNeeded);
        }
        let (engine, model, request) = (at.turn.engine.clone(), model.clone(), request.clone());
        let write = move |tx: &mut Tx| {
            let payer = Payer::new(&person, &agent, turn, since).below(ceiling);
            if let Some(new) = unnoted {
                // The wait is over: from now on it may be on its way. Another worker may have taken the turn meanwhile.
                turns::fence(tx, turn, epoch)?;
                model_calls::start(tx, &new)?;
            }
            let asked = QuotedRequest { request: &request, most_output, besides, before };
            engine.hold_back(tx, call, payer, &model, asked)
        };
        fail::fail_point!("reserve_before_commit");
        let money = at.turn.engine.store().write(write).await?;
        fail::fail_point!("reserve_after_commit");
        self.unnoted = false;
        Ok(money)
    }
}

/// From when on the turn's spending counts.
fn begun(at: &TurnView<'_>) -> Timestamp {
    match at.turn.source.is_part_of_turn() {
        // That one began earlier.
        true => at.record.since.plus_millis(-ERRAND_MS),
        false => at.record.since,
    }
}

/// Budgets and providers may have changed since the turn began: what holds is what holds at the request.
async fn look_at_budgets(at: &mut TurnView<'_>) -> Result<()> {
    let (user, session) = (at.turn.session.user_id, at.turn.session.id);
    let (key, vault) = (at.turn.key.clone(), at.turn.engine.store().vault().clone());
    let read = move |tx: &mut Tx| {
        let person = store::users::by_id(tx, &vault, user)?.ok_or(store::Error::NotFound)?;
        let staffed = sessions::with_agent(tx, &vault, &key, user, session)?;
        Ok((person, staffed.ok_or(store::Error::NotFound)?))
    };
    let (person, staffed) = at.turn.engine.store().read(read).await?;
    at.turn.engine.keep_up_with(&staffed.agent).await?;
    at.owner.person = Some(person);
    at.owner.agent_budget = staffed.agent.budget;
    Ok(())
}

//! Asking the agent's model for a summary. Every request is noted before it goes out and accounted for when it has ended,
//! whatever becomes of its answer.

use crate::summaries::{accept::Answer, compact::Work};
use crate::{
    budget::purse::{Money, Purse, Question},
    engine::Engine,
    error::{Error, Result},
    model::side_request::{self, Asking, Heard},
    telemetry::Asked,
};
use domain::{Agent, ModelCallId, TurnId, Usage};
use provider::{ErrorKind, ModelRequest, ProviderError, Sent};
use store::{
    Tx, compactions,
    model_calls::{self, Ended, NewModelCall},
};
use tokio::time::timeout;
use tracing::Instrument;

/// More than this is no summary; the rest of such an answer is not waited for.
const ANSWER_BYTES: usize = 256 << 10;

pub(super) struct Requests<'a> {
    work: &'a Work<'a>,
    /// The last turn of what is to be replaced: its rows are where people look for what it cost.
    turn_id: TurnId,
}

impl<'a> Requests<'a> {
    pub(super) fn new(work: &'a Work<'a>, turn_id: TurnId) -> Self {
        Self { work, turn_id }
    }

    /// What the model said, if it did. A request that broke, or was not answered for lack of room, is made once more, as a
    /// request of its own. An error when the program is going down: nothing is to be published then.
    pub(super) async fn ask(&mut self, request: ModelRequest, level: u32) -> Result<Option<Answer>> {
        let mut again = true;
        loop {
            match self.ask_once(request.clone(), level).await? {
                Some(Asking::Heard(Heard { text, stop: Some(stop), .. })) => {
                    return Ok(Some(Answer { text, stop }));
                }
                Some(Asking::Failed { error: Some(error), .. }) if again && comes_back(&error) => {
                    again = false;
                }
                _ => return Ok(None),
            }
        }
    }

    /// `None` when there is no money for it.
    async fn ask_once(&mut self, mut request: ModelRequest, level: u32) -> Result<Option<Asking>> {
        let (engine, model) = (self.work.engine, &self.work.model);
        let (call, money) = self.begin(&request, level).await?;
        match money {
            Money::Refused(_) => return Ok(None),
            Money::Held(tokens) => request.parameters = tokens.bound(request.parameters),
            Money::NotNeeded => {}
        }
        let (asked, sent) = (Asked::new(model), Sent::default());
        let listening = side_request::ask(model, request, &sent, ANSWER_BYTES).instrument(asked.span());
        let patience = engine.inner.settings.summaries.time;
        let (asking, going_down) = tokio::select! {
            asking = timeout(patience, listening) => {
                (asking.unwrap_or_else(|_| Asking::given_up(&sent)), false)
            }
            () = engine.inner.draining.cancelled() => (Asking::given_up(&sent), true),
        };
        let ended = asking.ended(&sent);
        match &asking {
            Asking::Heard(_) => asked.answered(ended.usage),
            Asking::Failed { .. } => asked.cut_off(ended.usage),
        }
        self.end(call, ended).await?;
        if going_down { Err(Error::ShuttingDown) } else { Ok(Some(asking)) }
    }

    async fn begin(&self, request: &ModelRequest, level: u32) -> Result<(ModelCallId, Money)> {
        let Work { engine, user, session, agent, model, .. } = self.work;
        let (paying, payer): (Engine, Agent) = ((*engine).clone(), (*agent).clone());
        let (model_asked, wanted) = (model.clone(), request.clone());
        let (user, session, now) = (*user, *session, engine.now());
        let id = ModelCallId::from_uuid(engine.inner.ids.uuid());
        let new = NewModelCall {
            id,
            session_id: session,
            turn_id: self.turn_id,
            user_id: user,
            agent_id: agent.id,
            step: 0,
            attempt: level,
            model: model.id().to_owned(),
            at: now,
        };
        let write = async move |tx: &mut Tx| {
            // What was noted before and never ended was cut off by a crash. Should somebody else be making a summary
            // too, they still say themselves what it cost.
            if let Some(before) = compactions::begin_call(tx, user, session, id).await? {
                model_calls::give_up(tx, before, now).await?;
            }
            model_calls::start(tx, &new).await?;
            let Some(person) = paying.person_with_budget(tx, user, &payer).await? else {
                return Ok(Money::NotNeeded);
            };
            let purse = Purse::new(&person, &payer, new.turn_id, now);
            let money =
                paying.hold_back(tx, id, purse, &model_asked, Question::new(&wanted, u64::MAX)).await?;
            let money = paying.unless_a_rule_allows(tx, purse, session, money).await?;
            if let Money::Refused(_) = money {
                model_calls::finish(tx, id, Ended::UNSENT, now).await?;
                compactions::end_call(tx, session, id, Usage::ZERO).await?;
            }
            Ok(money)
        };
        fail::fail_point!("summary_call_before_commit");
        let money = engine.store().write(write).await?;
        fail::fail_point!("summary_call_after_commit");
        Ok((id, money))
    }

    async fn end(&self, call: ModelCallId, ended: Ended) -> Result<()> {
        let (engine, session, now) = (self.work.engine, self.work.session, self.work.engine.now());
        let write = async move |tx: &mut Tx| {
            model_calls::settle(tx, call, ended, now).await?;
            compactions::end_call(tx, session, call, ended.usage).await
        };
        fail::fail_point!("summary_cost_before_commit");
        engine.store().write(write).await?;
        fail::fail_point!("summary_cost_after_commit");
        Ok(())
    }
}

/// May the same question be answered a moment later?
fn comes_back(error: &ProviderError) -> bool {
    error.is_retryable() && error.kind != ErrorKind::Stalled
}

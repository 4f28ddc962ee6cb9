//! SideRequestEnd the agent's model for a summary. Every request is noted before it goes out and accounted for when it has ended,
//! whatever becomes of its answer.

use crate::summaries::{accept::SummaryReply, compact::SummaryWork};
use crate::{
    budget::reserve::Money,
    engine::Engine,
    error::{Error, Result},
    model::side_request::{self, Listening, SideAnswer, SideRequest, SideRequestEnd},
};
use domain::{Agent, ModelCallId, TurnId, Usage};
use provider::{ErrorKind, Model, ModelRequest, ProviderError};
use store::{
    Tx, compactions,
    model_calls::{self, EndedModelCall},
};

/// More than this is no summary; the rest of such an answer is not waited for.
const ANSWER_BYTES: usize = 256 << 10;

pub(super) struct Requests<'a> {
    work: &'a SummaryWork<'a>,
    /// The last turn of what is to be replaced: its rows are where people look for what it cost.
    turn_id: TurnId,
}

impl<'a> Requests<'a> {
    pub(super) fn new(work: &'a SummaryWork<'a>, turn_id: TurnId) -> Self {
        Self { work, turn_id }
    }

    /// What the model said, if it did. A request that broke, or was not answered for lack of room, is made once more, as a
    /// request of its own. An error when the program is going down: nothing is to be published then.
    pub(super) async fn ask(&mut self, request: ModelRequest, level: u32) -> Result<Option<SummaryReply>> {
        let mut again = true;
        loop {
            match self.ask_once(request.clone(), level).await? {
                Some(SideRequestEnd::Answered(SideAnswer { text, stop: Some(stop), .. })) => {
                    return Ok(Some(SummaryReply { text, stop }));
                }
                Some(SideRequestEnd::Failed { error: Some(error), .. }) if again && comes_back(&error) => {
                    again = false;
                }
                _ => return Ok(None),
            }
        }
    }

    /// `None` when there is no money for it, or no such model any more.
    async fn ask_once(&mut self, mut request: ModelRequest, level: u32) -> Result<Option<SideRequestEnd>> {
        let engine = self.work.engine;
        // THREAT[key leak]: a summary takes many requests, and a key that was deleted meanwhile may have been revoked for a reason.
        engine.refresh_models().await?;
        let Ok(model) = engine.models().resolve(Some(self.work.model.id())) else { return Ok(None) };
        let (call, money) = self.begin(&model, &request, level).await?;
        match money {
            Money::Refused(_) => return Ok(None),
            Money::Held(tokens) => request.parameters = tokens.bound(request.parameters),
            Money::NotNeeded => {}
        }
        let most = Listening { time: engine.inner.settings.summaries.time, bytes: ANSWER_BYTES };
        let (end, ended) = side_request::listen(engine, &model, request, most).await;
        self.end(call, ended).await?;
        end.map(Some).ok_or(Error::ShuttingDown)
    }

    async fn begin(&self, model: &Model, request: &ModelRequest, level: u32) -> Result<(ModelCallId, Money)> {
        let SummaryWork { engine, user, session, agent, .. } = self.work;
        let (asking, payer): (Engine, Agent) = ((*engine).clone(), (*agent).clone());
        let (model, wanted, turn) = (model.clone(), request.clone(), self.turn_id);
        let (user, session, now) = (*user, *session, engine.now());
        let id = ModelCallId::from_uuid(engine.inner.ids.uuid());
        let write = move |tx: &mut Tx| {
            // What was noted before and never ended was cut off by a crash. Should another node be making a summary too, it
            // still says itself what that cost.
            if let Some(before) = compactions::begin_call(tx, user, session, id)? {
                model_calls::give_up(tx, before, now)?;
            }
            let request = SideRequest {
                engine: &asking,
                user,
                session,
                turn,
                agent: &payer,
                model: &model,
                request: &wanted,
                most_output: u64::MAX,
                attempt: level,
            };
            let money = request.begin(tx, id)?;
            if let Money::Refused(_) = money {
                compactions::end_call(tx, session, id, Usage::ZERO)?;
            }
            Ok(money)
        };
        fail::fail_point!("summary_call_before_commit");
        let money = engine.store().write(write).await?;
        fail::fail_point!("summary_call_after_commit");
        Ok((id, money))
    }

    async fn end(&self, call: ModelCallId, ended: EndedModelCall) -> Result<()> {
        let (engine, session, now) = (self.work.engine, self.work.session, self.work.engine.now());
        let write = move |tx: &mut Tx| {
            model_calls::settle(tx, call, ended, now)?;
            compactions::end_call(tx, session, call, ended.usage)
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

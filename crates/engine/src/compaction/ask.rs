//! Asking the agent's model for a summary. Every request is noted before it goes out and accounted for when it has ended,
//! whatever becomes of its answer.

use super::{Work, accept::Answer};
use crate::{
    budget::{Money, Purse},
    engine::Engine,
    error::{Error, Result},
    observe::Asked,
    tokens,
};
use domain::{Agent, ModelCallId, TurnId, Usage};
use provider::{Model, ModelEvent, ModelRequest, Tokens};
use store::{
    Tx, compactions,
    model_calls::{self, NewModelCall},
};
use tracing::Instrument;

/// More than this is no summary; the rest of such an answer is not waited for.
const ANSWER_BYTES: usize = 256 << 10;

pub(super) enum Asking {
    Answered(Answer),
    /// No answer came, or not in time.
    Failed,
}

pub(super) struct Requests<'a> {
    work: &'a Work<'a>,
    /// The last turn of what is to be replaced: its rows are where people look for what it cost.
    turn_id: TurnId,
}

/// What came of one request, and what it cost.
struct Heard {
    asking: Asking,
    usage: Usage,
}

impl<'a> Requests<'a> {
    pub(super) fn new(work: &'a Work<'a>, turn_id: TurnId) -> Self {
        Self { work, turn_id }
    }

    /// An error when the program is going down: nothing is to be published then.
    pub(super) async fn ask(&mut self, mut request: ModelRequest, level: u32) -> Result<Asking> {
        let (engine, model) = (self.work.engine, &self.work.model);
        let (call, money) = self.begin(&request, level).await?;
        match money {
            Money::Refused(_) => return Ok(Asking::Failed),
            Money::Held(tokens) => request.parameters = tokens.bound(request.parameters),
            Money::NotNeeded => {}
        }
        let asked = Asked::new(model);
        let listening = listen(model, request).instrument(asked.span());
        let patience = engine.inner.settings.summary_time;
        let (heard, going_down) = tokio::select! {
            heard = tokio::time::timeout(patience, listening) => (heard.unwrap_or_else(|_| unknown()), false),
            () = engine.inner.draining.cancelled() => (unknown(), true),
        };
        match &heard.asking {
            Asking::Answered(_) => asked.answered(heard.usage),
            Asking::Failed => asked.cut_off(heard.usage),
        }
        self.end(call, &heard).await?;
        if going_down { Err(Error::ShuttingDown) } else { Ok(heard.asking) }
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
            let money = paying.hold_back(tx, id, purse, &model_asked, (&wanted, u64::MAX)).await?;
            let money = paying.unless_a_rule_allows(tx, purse, session, money).await?;
            if let Money::Refused(_) = money {
                model_calls::finish(tx, id, false, Usage::ZERO, now).await?;
                compactions::end_call(tx, session, id, Usage::ZERO).await?;
            }
            Ok(money)
        };
        fail::fail_point!("summary_call_before_commit");
        let money = engine.store().write(write).await?;
        fail::fail_point!("summary_call_after_commit");
        Ok((id, money))
    }

    async fn end(&self, call: ModelCallId, heard: &Heard) -> Result<()> {
        let (engine, session) = (self.work.engine, self.work.session);
        let (ok, usage, now) = (matches!(heard.asking, Asking::Answered(_)), heard.usage, engine.now());
        let write = async move |tx: &mut Tx| {
            model_calls::settle(tx, call, ok, usage, now).await?;
            compactions::end_call(tx, session, call, usage).await
        };
        fail::fail_point!("summary_cost_before_commit");
        engine.store().write(write).await?;
        fail::fail_point!("summary_cost_after_commit");
        Ok(())
    }
}

/// The request was made, and nobody knows what it cost.
fn unknown() -> Heard {
    Heard { asking: Asking::Failed, usage: Usage { cost_microusd: None, ..Usage::ZERO } }
}

async fn listen(model: &Model, request: ModelRequest) -> Heard {
    let prompt = tokens::of_request(model, &request);
    let usage = |tokens: Tokens| Usage {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cached_tokens: tokens.cached,
        cost_microusd: model.cost(tokens),
    };
    let mut stream = match model.stream(request).await {
        Ok(stream) => stream,
        Err(error) => {
            tracing::info!(code = error.code(), "the model was asked for a summary and did not answer");
            return unknown();
        }
    };
    let mut text = String::new();
    loop {
        let estimated = Tokens { input: prompt, output: model.estimate(&text), ..Tokens::default() };
        match stream.next().await {
            Some(Ok(ModelEvent::Text(piece))) if text.len() < ANSWER_BYTES => text.push_str(&piece),
            // THREAT[engine-01]: a model that never stops writing must not fill the memory.
            Some(Ok(ModelEvent::Text(_))) => {
                return Heard { asking: Asking::Failed, usage: usage(estimated) };
            }
            Some(Ok(ModelEvent::Done(completion))) => {
                let usage = usage(completion.tokens.unwrap_or(estimated));
                return Heard { asking: Asking::Answered(Answer { text, stop: completion.stop }), usage };
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Heard { asking: Asking::Failed, usage: usage(estimated) },
        }
    }
}

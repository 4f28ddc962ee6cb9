//! Asks a model beside a turn: for a title, for a summary. Its caller begins it in a transaction of its own ([`SideRequest::begin`]),
//! which accounts for it and reserves what it may cost; [`listen`] sends it and takes the answer up to a size; what it took
//! goes into the row with the caller's next transaction.

use crate::{
    budget::{payer::Payer, quote::QuotedRequest, reserve::Money},
    engine::Engine,
    model::account::at_least,
    telemetry::ModelCallSpan,
};
use domain::{Agent, ModelCallId, SessionId, TurnId, Usage, UserId};
use prompt::token_count;
use provider::{Model, ModelEvent, ModelRequest, ProviderError, RequestCount, Stop, Tokens};
use std::time::Duration;
use store::{
    Tx,
    model_calls::{self, EndedModelCall, NewModelCall},
};
use tokio::time::timeout;
use tracing::Instrument;

/// A request beside a turn, before it is made.
pub(crate) struct SideRequest<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) user: UserId,
    pub(crate) session: SessionId,
    /// The turn under which people find what it cost.
    pub(crate) turn: TurnId,
    /// Whose budget it takes.
    pub(crate) agent: &'a Agent,
    pub(crate) model: &'a Model,
    pub(crate) request: &'a ModelRequest,
    /// Tokens that the model may write.
    pub(crate) most_output: u64,
    /// Tells the requests of one occasion apart in the rows that account for them.
    pub(crate) attempt: u32,
}

impl SideRequest<'_> {
    /// Notes the request and reserves what it may cost, inside its caller's transaction. Where there is no money for it, its
    /// row says that it was never sent.
    pub(crate) fn begin(&self, tx: &mut Tx, id: ModelCallId) -> store::Result<Money> {
        let Self { engine, user, session, turn, agent, model, .. } = *self;
        let now = engine.now();
        let new = NewModelCall {
            id,
            session_id: session,
            turn_id: turn,
            user_id: user,
            agent_id: agent.id,
            step: 0,
            attempt: self.attempt,
            model: model.id().to_owned(),
            at: now,
        };
        model_calls::start(tx, &new)?;
        let Some(person) = engine.person_with_budget(tx, user, agent)? else {
            return Ok(Money::NotNeeded);
        };
        let payer = Payer::new(&person, agent, turn, now);
        let wanted = QuotedRequest::new(self.request, self.most_output);
        let money = engine.hold_back(tx, id, payer, model, wanted)?;
        let money = engine.unless_a_rule_allows(tx, payer, session, money)?;
        if let Money::Refused(_) = money {
            model_calls::finish(tx, id, EndedModelCall::UNSENT, now)?;
        }
        Ok(money)
    }
}

/// How long and how far an answer beside a turn is listened to.
#[derive(Clone, Copy)]
pub(crate) struct Listening {
    pub(crate) time: Duration,
    pub(crate) bytes: usize,
}

/// What the model answered, as far as it was listened to.
pub(crate) struct SideAnswer {
    pub(crate) text: String,
    /// Why it stopped; none when it was not listened to any longer.
    pub(crate) stop: Option<Stop>,
    usage: Usage,
    estimated: bool,
}

/// What came of a request beside a turn.
pub(crate) enum SideRequestEnd {
    Answered(SideAnswer),
    /// No answer came, or it broke off.
    Failed {
        error: Option<ProviderError>,
        usage: Usage,
        estimated: bool,
    },
}

impl SideRequestEnd {
    /// For the row that accounts for it.
    fn ended(&self, sent: &RequestCount) -> EndedModelCall {
        let (ok, usage, estimated) = match self {
            Self::Answered(heard) => (true, heard.usage, heard.estimated),
            Self::Failed { usage, estimated, .. } => (false, *usage, *estimated),
        };
        EndedModelCall { ok, usage, requests: Some(sent.count()), estimated }
    }

    /// The answer is not waited for any more. What it costs is not known, unless nothing went out.
    fn given_up(sent: &RequestCount) -> Self {
        let cost_microusd = (sent.count() == 0).then_some(0);
        Self::Failed { error: None, usage: Usage { cost_microusd, ..Usage::ZERO }, estimated: false }
    }
}

/// Sends a request that was begun, and listens to its answer. Gives it up when it takes too long, or when the engine takes no
/// more work: `None` then.
pub(crate) async fn listen(
    engine: &Engine,
    model: &Model,
    request: ModelRequest,
    most: Listening,
) -> (Option<SideRequestEnd>, EndedModelCall) {
    let (span, sent) = (ModelCallSpan::new(model), RequestCount::default());
    let listening = ask(model, request, &sent, most.bytes).instrument(span.span());
    let end = tokio::select! {
        end = timeout(most.time, listening) => {
            Some(end.unwrap_or_else(|_| SideRequestEnd::given_up(&sent)))
        }
        () = engine.inner.draining.cancelled() => None,
    };
    let ended = match &end {
        Some(end) => end.ended(&sent),
        None => SideRequestEnd::given_up(&sent).ended(&sent),
    };
    match &end {
        Some(SideRequestEnd::Answered(_)) => span.answered(ended.usage),
        _ => span.cut_off(ended.usage),
    }
    (end, ended)
}

/// Listens to the answer up to so many bytes; the rest of it is not waited for. An answer that pauses ends there: what going on
/// costs was not held back.
pub(crate) async fn ask(
    model: &Model,
    request: ModelRequest,
    sent: &RequestCount,
    most_bytes: usize,
) -> SideRequestEnd {
    let input = token_count::of_request(model, &request);
    let usage = |tokens: Tokens| Usage {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cached_tokens: tokens.cached,
        cost_microusd: model.cost(tokens),
    };
    let mut stream = match model.stream(request, sent).await {
        Ok(stream) => stream,
        Err(error) => {
            tracing::info!(code = error.code(), "the model was asked beside a turn and did not answer");
            // A refusal costs nothing; what may have been read counts.
            let estimated = error.unanswered;
            let usage = if estimated { usage(Tokens { input, ..Tokens::default() }) } else { Usage::ZERO };
            return SideRequestEnd::Failed { error: Some(error), usage, estimated };
        }
    };
    let (mut text, mut written) = (String::new(), WrittenCount::default());
    loop {
        match stream.next().await {
            Some(Ok(ModelEvent::Text(mut piece))) => {
                written.add(model, &piece);
                // THREAT[engine-01]: a model that never stops writing must not fill the memory.
                let whole = cut_to(&mut piece, most_bytes.saturating_sub(text.len()));
                text.push_str(&piece);
                if !whole {
                    let usage = usage(written.so_far(model, input, stream.tokens()));
                    return SideRequestEnd::Answered(SideAnswer { text, stop: None, usage, estimated: true });
                }
            }
            Some(Ok(ModelEvent::Thinking(piece))) => written.add(model, &piece),
            Some(Ok(ModelEvent::Done(completion))) => {
                let (stop, estimated) = (Some(completion.stop), completion.tokens.is_none());
                let counted = completion.tokens.unwrap_or_else(|| written.so_far(model, input, None));
                return SideRequestEnd::Answered(SideAnswer { text, stop, usage: usage(counted), estimated });
            }
            Some(Ok(ModelEvent::Paused)) => {}
            failed => {
                let error = failed.and_then(Result::err);
                let usage = usage(written.so_far(model, input, stream.tokens()));
                return SideRequestEnd::Failed { error, usage, estimated: true };
            }
        }
    }
}

/// What a model has written beside a turn, also what is not kept: it costs the same.
#[derive(Default)]
struct WrittenCount {
    tokens: u64,
    /// What is not counted yet. Counted in long pieces, because each is rounded up.
    rest: String,
}

impl WrittenCount {
    const PIECE: usize = 8 << 10;

    fn add(&mut self, model: &Model, piece: &str) {
        self.rest.push_str(piece);
        if self.rest.len() >= Self::PIECE {
            self.tokens = self.tokens.saturating_add(model.estimate(&self.rest));
            self.rest.clear();
        }
    }

    /// What the request has cost by now, of which the provider has counted so much.
    fn so_far(&self, model: &Model, input: u64, counted: Option<Tokens>) -> Tokens {
        let written = self.tokens.saturating_add(model.estimate(&self.rest));
        at_least(counted.unwrap_or(Tokens { input, ..Tokens::default() }), written)
    }
}

/// Leaves no more than so many bytes, cut between two characters. `false` when something had to go.
pub(crate) fn cut_to(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return true;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    false
}

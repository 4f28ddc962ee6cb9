//! Work that a call gives to another agent: to whom, how far that may go, and what is stored of it.
//!
//! The agent that waits and the one that works are in two sessions, the second a child of the first. No agent waits for a
//! session above its own, so none waits in a circle.

use crate::{
    budget::payer,
    bus::node_note::SessionNews,
    claim::{
        claimed::Claimed,
        new_input::{InputOutcome, NewMessage, PreparedInput, WordsOrigin},
        running::Announced,
        turn_context::TurnView,
    },
    engine::Engine,
    errands::{depth_and_width::ErrandPermit, errand_refusal::ErrandRefusal, in_flight::ErrandSlot},
    error::Error,
    permission::spend_rules::spend,
    reply::shorten::cut,
};
use domain::{
    Agent, Asker, CallId, ErrandOutcome, ErrandStatus, EventBody, InputMode, Label, ResultStatus, RuleId,
    Session, Source, TurnId, TurnOutcome,
};
use serde_json::json;
use store::{
    DataKey, Tx,
    errands::{self as rows, ErrandAnswer},
    inbox::AgentRequest,
    sessions, users,
};

/// Everything of an errand, ready to be stored.
#[derive(Clone)]
pub(crate) struct PreparedErrand {
    /// What the other agent is told, in its session.
    pub(crate) input: PreparedInput,
    /// That session is made for it.
    pub(crate) new_session: bool,
    pub(crate) row: rows::Errand,
    /// Rules that it uses up.
    pub(crate) spends: Vec<RuleId>,
    /// How many one message may lead to.
    most: u64,
    /// Counts it among the errands of its work until it is stored.
    _slot: ErrandSlot,
}

impl PreparedErrand {
    /// What those who follow the one who waits are told.
    pub(crate) fn started(&self) -> EventBody {
        EventBody::ErrandStarted {
            call_id: self.row.parent_call,
            session_id: self.row.session_id,
            agent_id: self.input.agent.id,
            agent_name: self.input.agent.name.clone(),
            kind: self.input.session.kind,
        }
    }

    pub(crate) fn write(self, tx: &mut Tx) -> Result<InputOutcome, ErrandRefusal> {
        if self.new_session {
            sessions::create(tx, &self.input.key, &self.input.session)?;
        }
        spend(tx, &self.spends)?;
        rows::insert(tx, &self.row, self.input.now)?;
        let (user, root) = (self.row.user_id, self.row.root_turn);
        let outcome = self.input.store(tx)?;
        // Turns of the same work may run at other nodes, which know nothing of each other's decisions: what is stored is counted behind
        // the lock of the person.
        users::hold(tx, user)?;
        if rows::in_tree(tx, root)? > self.most {
            return Err(ErrandRefusal::TooMany);
        }
        Ok(outcome)
    }
}

/// The agent that gives an errand, and for which of its calls.
#[derive(Clone)]
pub(crate) struct Giver {
    pub(crate) engine: Engine,
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) agent: Agent,
    pub(crate) turn: TurnId,
    pub(crate) source: Source,
    pub(crate) call: CallId,
    /// Of what the agent was told when it made the call.
    pub(crate) label: Label,
    /// What its own turn may cost, set by the agent that it works for.
    ceiling: Option<u64>,
}

impl Giver {
    pub(crate) fn new(at: &TurnView<'_>, call: CallId) -> Self {
        Self {
            engine: at.turn.engine.clone(),
            key: at.turn.key.clone(),
            session: at.turn.session.clone(),
            agent: at.owner.paying_agent(at.turn),
            turn: at.turn.turn_id,
            source: at.turn.source,
            call,
            label: at.record.provenance.label,
            ceiling: at.record.ceiling,
        }
    }

    /// What may be spent on the turn with everything that it starts: agents that work for it are held to it as well.
    /// THREAT[agent-04]: somebody who has no budget of their own spends another's.
    async fn ceiling(&self) -> store::Result<Option<u64>> {
        let (engine, user) = (self.engine.clone(), self.session.user_id);
        let read = move |tx: &mut Tx| users::by_id(tx, engine.store().vault(), user);
        let person = self.engine.store().read(read).await?.ok_or(store::Error::NotFound)?;
        let person = payer::of_person(person.budget, self.engine.inner.settings.budget.default);
        let own = self.agent.budget.lower(person).per_turn_microusd;
        Ok([own, self.ceiling].into_iter().flatten().min())
    }

    /// Everything of an errand, or of a message, put together.
    pub(crate) async fn prepare(
        &self,
        (session, agent, new_session): (Session, Agent, bool),
        content: String,
        ErrandPermit { reach, slot }: ErrandPermit,
        wait_seconds: Option<u64>,
    ) -> Result<PreparedErrand, String> {
        let waits = wait_seconds.is_some();
        let label = self.label;
        let by = Asker {
            agent_id: self.agent.id,
            name: self.agent.name.clone(),
            session_id: self.session.id,
            waits,
        };
        let (session_id, user_id) = (session.id, session.user_id);
        let message = NewMessage {
            user_id,
            session_id,
            content,
            attachments: Vec::new(),
            typed: false,
            mode: InputMode::Queue,
            answers: None,
            sender: None,
            source: Source::Agent,
            model: None,
            idempotency_key: None,
        };
        let ceiling = self.ceiling().await.map_err(|error| broken(&error))?;
        let origin = WordsOrigin::Agent(AgentRequest { by, label, ceiling });
        let prepared = self.engine.prepared(self.key.clone(), session, agent, message, Vec::new(), origin);
        let input = prepared.map_err(|error: Error| error.to_string())?;
        let millis =
            wait_seconds.map(|seconds| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX));
        let row = rows::Errand {
            turn_id: input.input.turn_id,
            session_id,
            user_id,
            root_turn: reach.root,
            parent_session: self.session.id,
            parent_turn: self.turn,
            parent_call: self.call,
            status: if waits { ErrandStatus::Pending } else { ErrandStatus::Sent },
            depth_left: reach.depth_left.saturating_sub(u32::from(waits)),
            hops_left: reach.hops_left.saturating_sub(1),
            expires_at: millis.map(|millis| self.engine.now().plus_millis(millis)),
        };
        let most = self.engine.inner.settings.errands.most;
        Ok(PreparedErrand { input, new_session, row, spends: Vec::new(), most, _slot: slot })
    }
}

/// The turn of an errand, announced before it is stored: it begins if its session is free.
pub(crate) struct AnnouncedErrand(Claimed);

impl AnnouncedErrand {
    pub(crate) fn new(errand: &PreparedErrand) -> Self {
        Self(errand.input.claimed())
    }
}

impl Engine {
    /// Lets a turn begin that was stored for another agent.
    pub(crate) fn set_going(
        &self,
        errand: PreparedErrand,
        AnnouncedErrand(claimed): AnnouncedErrand,
        outcome: InputOutcome,
    ) {
        let (user, session) = (errand.row.user_id, errand.row.session_id);
        if errand.new_session {
            self.hint_session(user, session, SessionNews::Created);
        }
        match outcome {
            InputOutcome::Started { events } => self.run_turn(claimed, &events),
            InputOutcome::Queued { events, idle } => {
                self.publish(user, session, &events);
                drop::<Option<Announced>>(claimed.announced);
                if idle {
                    self.start_waiting_soon(session, user);
                }
            }
            InputOutcome::Steered { events, .. } => self.publish(user, session, &events),
            InputOutcome::Answered { .. } | InputOutcome::Repeat { .. } => {}
        }
    }
}

/// What the waiting agent reads, in the form of a result.
pub(crate) fn errand_answer(
    engine: &Engine,
    session: &Session,
    outcome: TurnOutcome,
    words: Option<&str>,
    label: Label,
) -> ErrandAnswer {
    let words = words.map(str::trim).filter(|words| !words.is_empty());
    let (outcome, problem) = match outcome {
        TurnOutcome::Completed => (ErrandOutcome::Completed, None),
        TurnOutcome::Failed => (ErrandOutcome::Failed, Some("the other agent failed")),
        TurnOutcome::Cancelled => (ErrandOutcome::Cancelled, Some("the other agent was stopped")),
        TurnOutcome::Limit => {
            (ErrandOutcome::Limit, Some("the other agent reached a limit before it was done"))
        }
    };
    // Cut before it is wrapped, so that what is left is still whole.
    let words = words.map(|words| cut(words.to_owned(), engine.inner.settings.turn.result_chars));
    let (status, content) = match problem {
        None => (ResultStatus::Ok, json!({ "answer": words.unwrap_or_default(), "session_id": session.id })),
        Some(problem) => {
            (ResultStatus::Error, json!({ "error": problem, "said": words, "session_id": session.id }))
        }
    };
    ErrandAnswer { outcome, status, content: content.to_string(), label }
}

pub(super) fn broken(error: &store::Error) -> String {
    tracing::error!(%error, "an errand could not be prepared");
    "an internal error occurred; the other agent was not asked".to_owned()
}

//! A turn that cannot go on, or cannot begin: it is ended, once, with an error that says so. The words of the person are
//! kept, every call gets its one result, and whatever waits behind it starts.

use crate::worker::commit_refusal::CommitRefusal;
use crate::{
    claim::{
        opening::IncomingWords,
        record::{Record, is_unreadable},
    },
    engine::Engine,
    telemetry,
    wording::{self, EndingWords},
    worker::{
        plan::{Plan, SettledCall},
        write_plan::{Commit, CommittedPlan},
    },
};
use domain::{
    Agent, AgentState, CallStatus, EventBody, Label, Message, MessageId, MessageKind, Meta, ModelCallId,
    Part, Role, Session, SessionId, StopReason, Timestamp, TurnId, TurnOutcome, Usage, UserId,
};
use prompt::provenance_label::Provenance;
use store::{
    DataKey, Tx, Vault,
    calls::{self, OpenCall},
    log::{self, Entry},
    model_calls,
    sessions::{self, Staffed},
    turns::StoredTurn,
};
use turn::{Phase, Settlement, State};

/// Why a turn does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// What was stored of it cannot be read.
    Unreadable,
    /// What its person said cannot be read.
    UnreadableInput,
    /// Its agent is not there any more.
    AgentGone,
    /// It came with a backup.
    Restored,
    /// The database refuses what would have to be stored for it.
    Unstartable,
}

impl EndReason {
    fn words(self) -> EndingWords {
        match self {
            Self::Unreadable => wording::unreadable(),
            Self::UnreadableInput => wording::unreadable_input(),
            Self::AgentGone => wording::agent_gone(),
            Self::Restored => wording::restored(),
            Self::Unstartable => wording::unstartable(),
        }
    }
}

/// What is left of the place where a turn runs.
pub(crate) struct Remains {
    pub(crate) session: Session,
    /// None when it is gone, or cannot be read.
    pub(crate) agent: Option<Agent>,
}

impl From<Staffed> for Remains {
    fn from(staffed: Staffed) -> Self {
        Self { session: staffed.session, agent: Some(staffed.agent) }
    }
}

impl Remains {
    /// With why the turn cannot go on, if it cannot. `None` when the session is gone.
    pub(crate) fn read(
        tx: &mut Tx,
        vault: &Vault,
        key: &DataKey,
        user: UserId,
        id: SessionId,
    ) -> store::Result<Option<(Self, Option<EndReason>)>> {
        let why = match sessions::with_agent(tx, vault, key, user, id) {
            Ok(Some(staffed)) => return Ok(Some((staffed.into(), None))),
            Ok(None) => EndReason::AgentGone,
            Err(error) if is_unreadable(&error) => EndReason::Unreadable,
            Err(error) => return Err(error),
        };
        let session = sessions::bare(tx, key, user, id)?;
        Ok(session.map(|session| (Self { session, agent: None }, Some(why))))
    }
}

/// A turn that is ended instead of going on.
pub(crate) struct UnreadableTurn<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) key: &'a DataKey,
    pub(crate) turn: &'a StoredTurn,
    pub(crate) remains: Remains,
    pub(crate) why: EndReason,
    /// What its person said, where that is not in the conversation yet.
    pub(crate) said: Option<IncomingWords>,
    pub(crate) now: Timestamp,
}

impl UnreadableTurn<'_> {
    /// Ends the turn, in the transaction that claimed it.
    pub(crate) fn end(self, tx: &mut Tx) -> Result<CommittedPlan, CommitRefusal> {
        let Self { engine, key, turn, remains: Remains { session, agent }, why, said, now } = self;
        let open_calls = calls::open_of_turn(tx, turn.id)?;
        let open_message = match log::open_message(tx, key, turn.session_id, turn.id) {
            Err(error) if is_unreadable(&error) => None,
            other => other?,
        };
        model_calls::fail_open(tx, turn.id, now)?;
        let ceiling = engine.ceiling_of(tx, key, turn)?;
        let usage = Record::of(turn).map_or(Usage::ZERO, |record| record.state.usage);
        let mut last_words = LastWords { engine, turn, why, usage, now, plan: Plan::default() };
        last_words.plan.progress = true;
        last_words.plan.waits.price_approval_withdrawn = true;
        last_words.event(EventBody::TurnStarted { source: turn.source, attempt: turn.attempt });
        if let Some(said) = said {
            last_words.plan.entries.push(Entry::Message(engine.user_message(turn.id, said, now)));
        }
        for call in open_calls {
            last_words.settle(call);
        }
        let message_id = open_message.unwrap_or_else(|| {
            let message_id = MessageId::from_uuid(engine.inner.ids.uuid());
            let agent_name = agent.as_ref().map(|agent| agent.name.clone()).unwrap_or_default();
            last_words.event(EventBody::MessageStart { message_id, agent_id: session.agent_id, agent_name });
            message_id
        });
        last_words.say(message_id);
        let limits = agent.as_ref().map_or(engine.inner.settings.turn.limits, |agent| agent.limits);
        let state = State { phase: Phase::Ended(TurnOutcome::Failed), usage, ..engine.new_state(limits) };
        let record = Record {
            state,
            message_id,
            model_call_id: ModelCallId::from_uuid(engine.inner.ids.uuid()),
            active_ms: 0,
            since: now,
            ceiling,
            model: None,
            price_approval: None,
            provenance: Provenance::default(),
            written: None,
        };
        let commit = Commit {
            plan: last_words.plan,
            engine: engine.clone(),
            key: key.clone(),
            session,
            turn_id: turn.id,
            epoch: turn.epoch,
            attempt: turn.attempt,
            audits: Vec::new(),
            state: record.sealed(key, turn.id)?,
            now,
            source: turn.source,
            // Nothing can be said of what it had been told.
            report: turn.source.is_part_of_turn().then_some(Label::WORST),
            starts_next: false,
        };
        commit.write(tx)
    }
}

/// Tells everybody, after the commit, and starts what waited behind it.
pub(crate) fn announce(
    engine: &Engine,
    user: UserId,
    (session, turn): (SessionId, TurnId),
    mut committed: CommittedPlan,
) {
    telemetry::turn_ended(TurnOutcome::Failed, Usage::ZERO, 0);
    committed.settle_errands(engine, turn);
    engine.publish(user, session, &committed.events);
    if committed.waiting {
        engine.start_waiting_soon(session, user);
    }
}

struct LastWords<'a> {
    engine: &'a Engine,
    turn: &'a StoredTurn,
    why: EndReason,
    /// Of what came before.
    usage: Usage,
    now: Timestamp,
    plan: Plan,
}

impl LastWords<'_> {
    fn event(&mut self, body: EventBody) {
        self.plan.entries.push(Entry::Event { turn_id: Some(self.turn.id), body });
    }

    /// THREAT[turn-02]: what had begun may have had its effect, and the next model has to know.
    fn settle(&mut self, OpenCall { id: call, class, status }: OpenCall) {
        if status == CallStatus::Waiting {
            self.plan.calls.withdrawn.push(call);
        }
        let begun = status == CallStatus::Running && !class.runs_again();
        let (status, text) = match self.why {
            // THREAT[backup-02]: whatever had not ended when the backup was made may have run since.
            EndReason::Restored => wording::settled_by_restore(),
            _ if begun => wording::settled_without_result(Settlement::Unknown),
            _ => wording::settled_without_result(Settlement::Stopped),
        };
        let content = serde_json::json!({ "error": text }).to_string();
        let message = Message {
            // The name stands with the call itself; here it may be out of reach.
            parts: vec![Part::Result {
                call_id: call,
                name: String::new(),
                status,
                content: content.clone(),
            }],
            content,
            ..self.message(MessageId::from_uuid(self.engine.inner.ids.uuid()), Role::Tool)
        };
        self.plan.calls.settled.push(SettledCall {
            call,
            status,
            entry: self.plan.entries.len(),
            started_at: None,
        });
        self.plan.entries.push(Entry::Message(message));
    }

    fn say(&mut self, message_id: MessageId) {
        let words = self.why.words();
        let message = Message {
            parts: vec![Part::Text { text: words.text.clone() }],
            content: words.text,
            meta: Meta { kind: Some(MessageKind::Error), ..Meta::default() },
            stop_reason: Some(StopReason::Interrupted),
            ..self.message(message_id, Role::Assistant)
        };
        self.plan.entries.push(Entry::Message(message));
        self.event(EventBody::Error(words.error.clone()));
        self.event(EventBody::AgentStatus { state: AgentState::Failed });
        let (outcome, error) = (TurnOutcome::Failed, Some(words.error));
        self.event(EventBody::TurnEnded { outcome, error, usage: self.usage });
        self.plan.end = Some(outcome);
    }

    fn message(&self, id: MessageId, role: Role) -> Message {
        Message::new(id, self.turn.id, role, self.now)
    }
}

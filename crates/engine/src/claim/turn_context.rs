//! What a worker and its parts know of their turn: [`TurnContext`] stays as it is from the claim to the end of the work here,
//! [`Owner`] is what is read again of the person and of what they may spend.

use crate::{
    claim::{claimed::Claimed, planned_call::PlannedCall, record::Record},
    engine::Engine,
    follow::feed::Feed,
    permission::approval_request::ApprovalRequest,
};
use capability::{Registry, Resolved, Values};
use domain::{Agent, Budget, FolderId, ModelCallId, Session, SessionKind, Source, Timestamp, TurnId, User};
use gate::argument_digest;
use std::sync::Arc;
use store::{DataKey, model_calls::NewModelCall};
use uuid::Uuid;

/// The tool of agents that remember.
pub(crate) const MANAGE_KNOWLEDGE: &str = "manage_knowledge";

/// The turn that a worker runs. Nothing in it changes while it runs.
pub(crate) struct TurnContext {
    pub(crate) engine: Engine,
    /// Opens and seals what is stored of the session's person.
    pub(crate) key: DataKey,
    /// The session as it was when the turn was claimed.
    pub(crate) session: Session,
    /// The agent as it was when the turn was claimed; what it may spend is in [`Owner`].
    pub(crate) agent: Agent,
    pub(crate) turn_id: TurnId,
    /// Fences every write of the turn: a worker with an older epoch changes nothing.
    pub(crate) epoch: u64,
    /// How often the turn was started, with this time.
    pub(crate) attempt: u32,
    /// What caused the turn: a person, a program, another agent.
    pub(crate) source: Source,
    /// Where the worker shows what the model writes, as it is written.
    pub(crate) feed: Arc<Feed>,
    /// The tools and hooks that the agent has; empty where the agent cannot run as it is stored.
    pub(crate) resolved: Arc<Resolved>,
}

impl TurnContext {
    /// With the tools of the agent, or with none and the words why it cannot have them.
    pub(crate) fn new(
        engine: Engine,
        claimed: &Claimed,
        registry: &Registry,
        feed: Arc<Feed>,
    ) -> (Self, Result<(), String>) {
        let agent = claimed.agent.clone();
        let (resolved, problem) = match registry.resolve(&agent.capabilities, &agent.allowed_tools) {
            Ok(resolved) => (resolved, Ok(())),
            Err(error) => (Resolved::default(), Err(error.to_string())),
        };
        let turn = Self {
            engine,
            key: claimed.key.clone(),
            session: claimed.session.clone(),
            agent,
            turn_id: claimed.turn_id,
            epoch: claimed.epoch,
            attempt: claimed.attempt,
            source: claimed.source,
            feed,
            resolved: Arc::new(resolved),
        };
        (turn, problem)
    }

    pub(crate) fn new_uuid(&self) -> Uuid {
        self.engine.inner.ids.uuid()
    }

    /// What the conversation is called.
    ///
    /// THREAT[chat-05] A title is made of what was said, also of what is for its person alone: whom a bridge speaks for is told none.
    pub(crate) fn title(&self) -> Option<&str> {
        self.session.name.as_deref().filter(|_| self.source.rules().hears_private)
    }

    /// The folder of the conversation, where it has files that this turn is told of.
    ///
    /// THREAT[chat-06] They are for the person's own agents: a turn that a bridge brought is told of none.
    pub(crate) fn folder_with_files(&self) -> Option<FolderId> {
        let keeping = &self.session.keeping;
        keeping.folder_id.filter(|_| keeping.folder_has_files && self.source.rules().hears_private)
    }

    /// May this turn reach what is known beyond its conversation: what agents remember, and other conversations?
    ///
    /// THREAT[memory-04] Only where the session's person speaks themself: no bridge, no agent that works for another, and no copy of
    /// such a conversation. A person may also have a conversation without it.
    pub(crate) fn reaches_beyond(&self) -> bool {
        self.speaks_for_person() && self.session.memory
    }

    /// Is this turn told what is known of the session's person?
    pub(crate) fn hears_knowledge(&self) -> bool {
        self.reaches_beyond() && tells_knowledge(&self.session, &self.resolved)
    }

    /// Does this turn work for the session's person, and not for a bridge or for another agent, nor in a copy of such a conversation?
    pub(crate) fn speaks_for_person(&self) -> bool {
        self.source.rules().hears_private && !self.source.is_part_of_turn() && is_persons_own(&self.session)
    }

    /// May this turn have something done later?
    ///
    /// THREAT[time-01] A run that makes schedules would go on for ever without its person.
    pub(crate) fn may_act_later(&self) -> bool {
        self.speaks_for_person() && self.source != Source::Schedule
    }

    /// The row that accounts for one request to the model.
    pub(crate) fn model_call_row(&self, id: ModelCallId, state: &turn::State, at: Timestamp) -> NewModelCall {
        NewModelCall {
            id,
            session_id: self.session.id,
            turn_id: self.turn_id,
            user_id: self.session.user_id,
            agent_id: self.agent.id,
            step: state.step,
            attempt: state.attempt,
            model: self.engine.model_name(self.agent.model.as_deref()),
            at,
        }
    }

    /// What a person is asked before this call runs. `host`: where it goes, if that is all that it tells.
    pub(crate) fn approval_request<'a>(
        &'a self,
        record: &'a Record,
        planned: &'a PlannedCall,
        host: Option<String>,
    ) -> ApprovalRequest<'a> {
        ApprovalRequest {
            engine: &self.engine,
            session: self.session.id,
            turn: self.turn_id,
            call: planned.id,
            name: &planned.name,
            arguments: &planned.arguments,
            tool: self.resolved.tool(&planned.name).map(AsRef::as_ref),
            provenance: &record.provenance,
            digest: self.digest(planned),
            host,
        }
    }

    /// What an approval of this call is bound to: its tool, its arguments, and where it is made.
    pub(crate) fn digest(&self, planned: &PlannedCall) -> String {
        argument_digest::digest(&planned.name, self.agent.id, self.session.id, planned.id, &planned.arguments)
    }
}

/// Does the session have memory, and its agent the capability?
pub(crate) fn tells_knowledge(session: &Session, resolved: &Resolved) -> bool {
    is_persons_own(session) && session.memory && resolved.tool(MANAGE_KNOWLEDGE).is_some()
}

fn is_persons_own(session: &Session) -> bool {
    session.kind == SessionKind::Own && session.narrowing.is_none()
}

/// The person whose session it is, and what may have changed about them since the turn was claimed.
pub(crate) struct Owner {
    /// Read when a part first needs it.
    pub(crate) person: Option<User>,
    /// `true`: the agent's owner no longer shares it with this person, so the model is not asked again.
    pub(crate) unshared: bool,
    /// What the agent may spend, as it was last read.
    pub(crate) agent_budget: Budget,
}

impl Owner {
    pub(crate) const fn new(claimed: &Claimed) -> Self {
        Self { person: None, unshared: claimed.unshared, agent_budget: claimed.agent.budget }
    }

    /// The person's time zone.
    pub(crate) fn time_zone(&self) -> String {
        self.person.as_ref().map_or_else(|| "UTC".to_owned(), |person| person.time_zone.clone())
    }

    /// The agent with what it may spend now.
    pub(crate) fn paying_agent(&self, turn: &TurnContext) -> Agent {
        Agent { budget: self.agent_budget, ..turn.agent.clone() }
    }

    /// What placeholders in prompts and settings stand for, but for the time.
    pub(crate) fn placeholder_values(&self, turn: &TurnContext) -> Values {
        let Session { id, user_id, .. } = &turn.session;
        let person = self.person.as_ref().map(|person| person.name.as_str());
        prompt::placeholder_values(*user_id, person, Some((*id, turn.title())))
    }
}

/// What a part of the worker is given for one piece of work.
pub(crate) struct TurnView<'a> {
    pub(crate) turn: &'a TurnContext,
    /// What is stored of the turn, as of the last commit.
    pub(crate) record: &'a Record,
    pub(crate) owner: &'a mut Owner,
}

/// The worker cannot go on, because the database fails it or because the turn is another worker's by now. What is stored is
/// true: the turn is taken up again from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnLost;

/// What a part has for the machine to hear.
pub(crate) type Inputs = Result<Vec<turn::Input>, TurnLost>;

//! A turn of which too little can be read to go on: it is ended, once, with an error that says so. The words of the
//! person are kept, every call gets its one result, and whatever waits behind it starts.

use crate::{
    commit::{Commit, Committed},
    engine::Engine,
    notice, observe,
    plan::{Plan, Settled},
    provenance::Provenance,
    record::Record,
};
use domain::{
    AgentState, CallStatus, EventBody, Label, Message, MessageId, MessageKind, Meta, ModelCallId, Part, Role,
    SessionId, Source, StopReason, Timestamp, TurnId, TurnOutcome, Usage, UserId,
};
use store::{
    DataKey, Tx,
    calls::{self, OpenCall},
    log::{self, Entry},
    model_calls,
    sessions::Staffed,
    turns::StoredTurn,
};
use turn::{Phase, Settlement};

/// A value that is there and cannot be read: asking again does not help.
pub(crate) fn is_unreadable(error: &store::Error) -> bool {
    matches!(error, store::Error::Crypto { .. } | store::Error::Corrupt(_))
}

/// Ends the turn, in the transaction that claimed it.
pub(crate) async fn end(
    tx: &mut Tx,
    engine: &Engine,
    key: &DataKey,
    turn: &StoredTurn,
    staffed: Staffed,
    now: Timestamp,
) -> store::Result<Committed> {
    let open_calls = calls::open_of_turn(tx, turn.id).await?;
    let open_message = match log::open_message(tx, key, turn.session_id, turn.id).await {
        Err(error) if is_unreadable(&error) => None,
        other => other?,
    };
    model_calls::fail_open(tx, turn.id, now).await?;
    let Staffed { session, agent, .. } = staffed;
    let mut last_words = LastWords { engine, turn, now, plan: Plan::default() };
    last_words.plan.progress = true;
    last_words.event(EventBody::TurnStarted { source: turn.source, attempt: turn.attempt });
    for call in open_calls {
        last_words.settle(call);
    }
    let message_id = open_message.unwrap_or_else(|| {
        let message_id = MessageId::from_uuid(engine.inner.ids.uuid());
        let (agent_id, agent_name) = (agent.id, agent.name.clone());
        last_words.event(EventBody::MessageStart { message_id, agent_id, agent_name });
        message_id
    });
    last_words.say(message_id);
    let mut state = engine.new_state(&agent);
    state.phase = Phase::Ended(TurnOutcome::Failed);
    let model_call_id = ModelCallId::from_uuid(engine.inner.ids.uuid());
    let commit = Commit {
        plan: last_words.plan,
        engine: engine.clone(),
        key: key.clone(),
        session,
        turn_id: turn.id,
        epoch: turn.epoch,
        attempt: turn.attempt,
        audits: Vec::new(),
        record: Record {
            state,
            message_id,
            model_call_id,
            active_ms: 0,
            since: now,
            ceiling: None,
            leave: None,
            provenance: Provenance::default(),
            written: None,
        },
        now,
        // Nothing can be said of what it had been told.
        report: (turn.source == Source::Agent).then_some(Label::WORST),
    };
    Box::pin(commit.write(tx)).await
}

/// Tells everybody, after the commit, and runs what waited behind it.
pub(crate) fn announce(
    engine: &Engine,
    user: UserId,
    (session, turn): (SessionId, TurnId),
    mut committed: Committed,
) {
    observe::turn_ended(TurnOutcome::Failed, Usage::ZERO, 0);
    committed.settle_errands(engine, turn);
    match committed.next {
        Some(mut next) => {
            // Before anybody can hear of it, so that a stop finds it.
            next.announced = Some(engine.announce(next.turn_id, session));
            engine.run_turn(next, &committed.events);
        }
        None => engine.publish(user, session, &committed.events),
    }
}

struct LastWords<'a> {
    engine: &'a Engine,
    turn: &'a StoredTurn,
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
            self.plan.withdrawn.push(call);
        }
        let begun = status == CallStatus::Running && !class.runs_again();
        let settlement = if begun { Settlement::Unknown } else { Settlement::Stopped };
        let (status, text) = notice::settled_without_result(settlement);
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
        self.plan.settled.push(Settled { call, status, entry: self.plan.entries.len(), started_at: None });
        self.plan.entries.push(Entry::Message(message));
    }

    fn say(&mut self, message_id: MessageId) {
        let words = notice::unreadable();
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
        self.event(EventBody::TurnEnded { outcome, error, usage: Usage::ZERO });
        self.plan.end = Some(outcome);
    }

    fn message(&self, id: MessageId, role: Role) -> Message {
        Message::new(id, self.turn.id, role, self.now)
    }
}

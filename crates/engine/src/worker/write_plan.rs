//! Writing a plan: one transaction, fenced by the turn's epoch.

use crate::{
    claim::{
        awaited::Awaited, claimed::Claimed, from_queue::QueuedTurnStarter, new_input::InputOutcome,
        planned_call::PersonRequest,
    },
    engine::Engine,
    errands::prepared_errand::errand_answer,
    worker::{
        commit_refusal::CommitRefusal,
        plan::{Plan, SettledCall},
        settle_run::settle_run,
    },
};
use domain::{
    Event, EventBody, InputMode, Label, RunOutcome, Session, Source, Timestamp, TurnId, TurnStatus,
};
use store::{
    DataKey, Tx, approvals,
    audit::{self, AuditEntry},
    calls, errands, inbox,
    log::{self, Entry},
    model_calls, questions,
    sessions::{self, Active, Advance, Advanced, Numbers},
    turns::{self, NewTurn, SealedState, TurnUpdate},
};

/// A plan on its way into the store.
pub(crate) struct Commit {
    pub(crate) engine: Engine,
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) turn_id: TurnId,
    pub(crate) epoch: u64,
    pub(crate) attempt: u32,
    /// The turn's record, as it is to be stored.
    pub(crate) state: SealedState,
    pub(crate) plan: Plan,
    /// What the gate decided meanwhile.
    pub(crate) audits: Vec<AuditEntry>,
    pub(crate) now: Timestamp,
    /// Where the turn came from: the run of a schedule ends with it.
    pub(crate) source: Source,
    /// Another agent may wait for what the turn ends with: the worst of what went into it.
    pub(crate) report: Option<Label>,
    /// The end of the turn starts the next one in the same transaction. Not where that was tried and failed: what cannot
    /// start keeps nothing else from ending.
    pub(crate) starts_next: bool,
}

/// What is left to do after the commit of a plan.
pub(crate) struct CommittedPlan {
    pub(crate) events: Vec<Event>,
    /// A person has stopped the turn.
    pub(crate) stop: bool,
    /// The turn that was waiting behind this one, started in the same transaction.
    pub(crate) next: Option<Claimed>,
    /// Something waits behind this turn that was not started with its end.
    pub(crate) waiting: bool,
    /// How each errand of the plan begins.
    pub(crate) errands: Vec<InputOutcome>,
    /// There is an answer to be delivered.
    pub(crate) reports: bool,
    /// Turns of other agents whose work is no longer waited for.
    pub(crate) withdrawn: Vec<TurnId>,
}

impl CommittedPlan {
    /// After the commit: an agent that waited for the turn is told, and agents that worked for it in vain are stopped.
    pub(crate) fn settle_errands(&mut self, engine: &Engine, turn: TurnId) {
        let mut turns = std::mem::take(&mut self.withdrawn);
        turns.extend(self.reports.then_some(turn));
        if !turns.is_empty() {
            engine.settle_errands_soon(turns);
        }
    }
}

impl Commit {
    /// Writes everything, or nothing. `Fenced` when the turn is no longer ours, `Steering` when a person steered it
    /// meanwhile and the plan does not know.
    pub(crate) fn write(mut self, tx: &mut Tx) -> Result<CommittedPlan, CommitRefusal> {
        let update = TurnUpdate {
            state: std::mem::take(&mut self.state),
            status: self.status(),
            outcome: self.plan.end,
            attempt: self.attempt,
            progress: self.plan.progress,
            at: self.now,
        };
        // The session before the turn, as every other writer: two that wait for each other would both be held up.
        let steered = self.take_steering(tx)?;
        let Advanced { numbers, pending, steering } = self.advance(tx, steered)?;
        let stop = turns::commit(tx, self.turn_id, self.epoch, update)?;
        if stop && self.plan.waits.park {
            return Err(CommitRefusal::Stopping);
        }
        if self.plan.at_boundary && steering > 0 {
            return Err(CommitRefusal::Steering);
        }
        let reports = self.write_report(tx)?;
        let mut events = self.append(tx, numbers)?;
        self.write_calls(tx, &events)?;
        let withdrawn = self.write_questions(tx)?;
        self.write_approvals(tx)?;
        let errands = self.write_errands(tx)?;
        // Behind the lock of the session, which every answer takes first: none can come unseen. And behind what this
        // plan asks: a call that has heard one answer may wait for another.
        if self.plan.waits.park && !Awaited::read(tx, &self.key, self.turn_id)?.is_silent() {
            return Err(CommitRefusal::Answered);
        }
        self.write_model_calls(tx)?;
        let (mut next, mut waiting) = (None, false);
        if let Some(end) = self.plan.end {
            if self.source == Source::Schedule {
                settle_run(tx, &self.engine, &self.key, self.turn_id, RunOutcome::from(end), self.now)?;
            }
            let requeued = self.requeue(tx, steering, &mut events)?;
            // A node that is going down begins nothing: what waits is found at the next start.
            waiting = pending + requeued > 0 && !self.engine.is_draining();
            if waiting && self.starts_next {
                next = self.start_next(tx, &mut events)?;
                waiting = next.is_none();
            }
        }
        // Last: every other writer of the audit log waits until this transaction is over.
        let audits = std::mem::take(&mut self.audits);
        audit::append_all(tx, self.engine.store().vault(), audits)?;
        Ok(CommittedPlan { events, stop, next, waiting, errands, reports, withdrawn })
    }

    fn status(&self) -> TurnStatus {
        match self.plan.end {
            Some(_) => TurnStatus::Ended,
            None if self.plan.waits.park => TurnStatus::Parked,
            None => TurnStatus::Running,
        }
    }

    fn write_approvals(&self, tx: &mut Tx) -> store::Result<()> {
        for (call, asked) in &self.plan.waits.approvals {
            let id = match asked {
                PersonRequest::Approval(approval) => {
                    approvals::insert(tx, &self.key, self.session.user_id, approval)?;
                    approval.id
                }
                PersonRequest::Shared(id) => *id,
                PersonRequest::Question(_) => continue,
            };
            if !approvals::wait(tx, *call, id)? {
                return Err(store::Error::Fenced);
            }
        }
        if let Some(price_approval) = &self.plan.waits.price_approval {
            approvals::insert(tx, &self.key, self.session.user_id, price_approval)?;
        }
        if self.plan.waits.price_approval_withdrawn {
            approvals::withdraw_of_turn(tx, self.turn_id, self.now)?;
        }
        Ok(())
    }

    fn write_questions(&self, tx: &mut Tx) -> store::Result<Vec<TurnId>> {
        let mut withdrawn = Vec::new();
        for (question, expires) in &self.plan.waits.questions {
            questions::insert(tx, &self.key, self.session.user_id, question, *expires)?;
            if !calls::wait(tx, question.call_id)? {
                return Err(store::Error::Fenced);
            }
        }
        for call in &self.plan.calls.withdrawn {
            questions::withdraw(tx, *call, self.now)?;
            approvals::withdraw(tx, *call, self.now)?;
            withdrawn.extend(errands::withdraw(tx, *call, self.now)?);
        }
        Ok(withdrawn)
    }

    /// Intent before effect: the call waits from the same moment at which the other agent has its work.
    fn write_errands(&mut self, tx: &mut Tx) -> Result<Vec<InputOutcome>, CommitRefusal> {
        let mut begun = Vec::with_capacity(self.plan.waits.errands.len());
        for errand in std::mem::take(&mut self.plan.waits.errands) {
            let call = errand.row.parent_call;
            if !calls::wait(tx, call)? {
                return Err(store::Error::Fenced.into());
            }
            begun.push(errand.write(tx).map_err(|refusal| CommitRefusal::of_errand(call, refusal))?);
        }
        Ok(begun)
    }

    /// What the turn ends with, for the agent that waits for it: there is never one without the other.
    fn write_report(&self, tx: &mut Tx) -> store::Result<bool> {
        let (Some(label), Some(outcome)) = (self.report, self.plan.end) else { return Ok(false) };
        let answer = errand_answer(&self.engine, &self.session, outcome, self.plan.last_words(), label);
        errands::finish(tx, &self.key, self.turn_id, &answer, self.now)
    }

    /// Puts the words of people who steered into the plan, where the machine wants them.
    fn take_steering(&mut self, tx: &mut Tx) -> store::Result<u64> {
        let Some(at) = self.plan.steering_at else { return Ok(0) };
        let inputs = inbox::steering(tx, &self.key, self.turn_id)?;
        let ids: Vec<_> = inputs.iter().map(|input| input.id).collect();
        inbox::consume(tx, &ids, self.now)?;
        let taken = inputs.len();
        let messages = inputs
            .into_iter()
            .map(|input| Entry::Message(self.engine.user_message(self.turn_id, input.into(), self.now)));
        let messages: Vec<_> = messages.collect();
        self.plan.entries.splice(at..at, messages);
        for settled in &mut self.plan.calls.settled {
            if settled.entry >= at {
                settled.entry += taken;
            }
        }
        Ok(taken as u64)
    }

    fn advance(&self, tx: &mut Tx, steered: u64) -> store::Result<Advanced> {
        let advance = Advance {
            events: self.plan.entries.len() as u64,
            messages: self.plan.messages(),
            usage: self.plan.model_call.usage,
            steered,
            status: self.plan.status(),
            active: match self.plan.end {
                Some(_) => Active::Ends(self.turn_id),
                None => Active::GoesOn(self.turn_id),
            },
            now: self.now,
        };
        sessions::advance(tx, self.session.user_id, self.session.id, advance)
    }

    fn append(&mut self, tx: &mut Tx, numbers: Numbers) -> store::Result<Vec<Event>> {
        let entries = std::mem::take(&mut self.plan.entries);
        log::append(tx, &self.key, numbers, self.now, entries)
    }

    fn write_calls(&self, tx: &mut Tx, events: &[Event]) -> store::Result<()> {
        if !self.plan.calls.new.is_empty() {
            calls::insert(tx, &self.key, &self.plan.calls.new, self.now)?;
        }
        for &SettledCall { call, status, entry, started_at } in &self.plan.calls.settled {
            let result_seq = events.get(entry).map_or(0, |event| event.seq);
            let settled = calls::Settled { status, result_seq, started_at, at: self.now };
            if !calls::settle(tx, call, settled)? {
                // The row has its result already: this plan was made from an old state.
                return Err(store::Error::Fenced);
            }
        }
        Ok(())
    }

    fn write_model_calls(&self, tx: &mut Tx) -> store::Result<()> {
        if let Some((id, ended)) = self.plan.model_call.finished {
            model_calls::finish(tx, id, ended, self.now)?;
        }
        if let Some(id) = self.plan.model_call.held {
            model_calls::hold(tx, id)?;
        }
        if let Some(new) = &self.plan.model_call.started {
            model_calls::start(tx, new)?;
        }
        Ok(())
    }

    /// A turn that ended early leaves steering inputs behind: each becomes a turn of its own, none is lost.
    fn requeue(&self, tx: &mut Tx, steering: u64, events: &mut Vec<Event>) -> store::Result<u64> {
        if steering == 0 {
            return Ok(0);
        }
        let inputs = inbox::steering_heads(tx, self.turn_id)?;
        let count = inputs.len() as u64;
        let (user, id) = (self.session.user_id, self.session.id);
        let numbers = sessions::requeue(tx, user, id, count, self.now)?;
        let mut entries = Vec::new();
        for ((input_id, source), position) in inputs.into_iter().zip(numbers.each()) {
            let turn_id = TurnId::from_uuid(self.engine.inner.ids.uuid());
            inbox::move_to(tx, input_id, turn_id)?;
            let turn = NewTurn {
                id: turn_id,
                session_id: self.session.id,
                user_id: self.session.user_id,
                position,
                source,
                status: TurnStatus::Queued,
                owner: None,
                epoch: 0,
                lease_until: None,
                state: None,
                at: self.now,
            };
            turns::insert(tx, &self.key, &turn)?;
            let mode = InputMode::Queue;
            let body = EventBody::InputAccepted { input_id, turn_id, mode, source };
            entries.push(Entry::Event { turn_id: Some(turn_id), body });
        }
        events.extend(log::append(tx, &self.key, numbers, self.now, entries)?);
        Ok(count)
    }

    fn start_next(&self, tx: &mut Tx, events: &mut Vec<Event>) -> store::Result<Option<Claimed>> {
        let starter = QueuedTurnStarter {
            engine: &self.engine,
            key: &self.key,
            session_id: self.session.id,
            now: self.now,
        };
        let Some((claimed, started)) = starter.start_next(tx, self.session.user_id)? else {
            return Ok(None);
        };
        events.extend(started);
        Ok(Some(claimed))
    }
}

//! Commits a step of the turn: plans it, writes it in one transaction, and only then lets anything of it be seen or begin.

use crate::{
    claim::{
        record::Record,
        turn_context::{TurnContext, TurnView},
    },
    errands::prepared_errand::{AnnouncedErrand, PreparedErrand},
    store_retry::find_out,
    telemetry,
    wake_ups::WakeUp,
    worker::{
        Worker,
        commit_refusal::CommitRefusal,
        plan::{Plan, Planner, TurnParts},
        write_plan::{Commit, CommittedPlan},
    },
};
use domain::{Source, Timestamp};
use store::{Tx, turns::SealedState};
use turn::{Effect, State};

impl Worker {
    pub(super) async fn commit(
        &mut self,
        next: State,
        durable: &[Effect],
        starts_next: bool,
    ) -> Result<CommittedPlan, CommitRefusal> {
        let now = self.turn.engine.now();
        let at = TurnView { turn: &self.turn, record: &self.record, owner: &mut self.owner };
        self.calls.note_surplus(&at, durable);
        let plan = Planner::new(self.parts(), &next, now).plan(durable);
        let record = self.record_after(next, &plan);
        let restarts = durable.iter().any(|effect| matches!(effect, Effect::RestartMessage { .. }));
        let opens = plan.record_ids.message_id.is_some() || restarts;
        let unnoted = plan.record_ids.model_call_id.is_some() && plan.model_call.started.is_none();
        // Announced before the commit: no takeover may find what is about to run without a worker.
        let announced = announce_errands(&plan);
        let (intends, parks) = (plan.record_ids.written.is_some(), plan.waits.park);
        let (expires, ends) = (plan.expires(), plan.end.is_some());
        let state = record.sealed(&self.turn.key, self.turn.turn_id)?;
        let commit = self.commit_of(plan, state.clone(), now, starts_next);
        fail::fail_point!("turn_before_commit");
        crash_in_between(intends, parks, "before");
        let mut committed = match self.turn.engine.store().attempt(move |tx: &mut Tx| commit.write(tx)).await
        {
            Err(CommitRefusal::Store(error)) => {
                let turn = (self.turn.turn_id, self.turn.epoch);
                return Err(find_out(&self.turn.engine, turn, state, error).await.into());
            }
            other => other?,
        };
        fail::fail_point!("turn_after_commit");
        crash_in_between(intends, parks, "after");
        if expires || !announced.is_empty() {
            self.turn.engine.wake(WakeUp::Expires);
        }
        if ends && self.turn.source == Source::Schedule {
            self.turn.engine.wake(WakeUp::Due);
        }
        self.begin_errands(announced, &mut committed);
        self.stored(record);
        if opens {
            self.asking.begin_message(unnoted);
            self.calls.begin_message();
        }
        self.show(&mut committed).await;
        Ok(committed)
    }

    fn parts(&self) -> TurnParts<'_> {
        TurnParts {
            turn: &self.turn,
            owner: &self.owner,
            record: &self.record,
            asking: &self.asking,
            calls: &self.calls,
            hooks: &self.hooks,
            resumed: self.resumed,
        }
    }

    /// The record as the plan leaves it.
    fn record_after(&self, next: State, plan: &Plan) -> Record {
        let mut record = Record { state: next, active_ms: self.clock.active_ms(), ..self.record.clone() };
        record.message_id = plan.record_ids.message_id.unwrap_or(record.message_id);
        record.model_call_id = plan.record_ids.model_call_id.unwrap_or(record.model_call_id);
        record.price_approval =
            plan.waits.price_approval.as_ref().map(|approval| approval.call_id).or(record.price_approval);
        record.written = if record.state.message_open() {
            plan.record_ids.written.clone().or(record.written)
        } else {
            None
        };
        record
    }

    fn commit_of(&self, plan: Plan, state: SealedState, now: Timestamp, starts_next: bool) -> Commit {
        let TurnContext { engine, key, session, turn_id, epoch, attempt, .. } = &*self.turn;
        let report = match plan.end {
            Some(_) if self.turn.source.is_part_of_turn() => Some(self.record.provenance.label),
            _ => None,
        };
        Commit {
            engine: engine.clone(),
            key: key.clone(),
            session: session.clone(),
            turn_id: *turn_id,
            epoch: *epoch,
            attempt: *attempt,
            state,
            plan,
            audits: self.calls.audits.clone(),
            now,
            source: self.turn.source,
            report,
            starts_next,
        }
    }

    /// After the commit: the other agents begin.
    fn begin_errands(
        &mut self,
        announced: Vec<(PreparedErrand, AnnouncedErrand)>,
        committed: &mut CommittedPlan,
    ) {
        self.calls.errands_stored(&announced);
        let begun = std::mem::take(&mut committed.errands);
        for ((errand, announced), outcome) in announced.into_iter().zip(begun) {
            self.turn.engine.set_going(errand, announced, outcome);
        }
    }

    /// What was to be stored with the next commit is stored.
    fn stored(&mut self, record: Record) {
        self.resumed = false;
        self.hooks.stored();
        self.calls.audits.clear();
        self.asking.price_approval = None;
        self.record = record;
    }

    /// Shows what is committed, to readers, operators, waiting agents and hooks.
    async fn show(&mut self, committed: &mut CommittedPlan) {
        let turn = &self.turn;
        if let Some(next) = &mut committed.next {
            // Before its events are published, so that a stop finds it.
            next.announced = Some(turn.engine.announce(next.turn_id, next.session.id));
        }
        if let Some(outcome) = self.record.state.ended() {
            telemetry::turn_ended(outcome, self.record.state.usage, self.record.active_ms);
        }
        turn.engine.show(Some(&turn.feed), turn.session.user_id, turn.session.id, &committed.events);
        committed.settle_errands(&turn.engine, turn.turn_id);
        self.statuses_changed(&committed.events).await;
    }
}

fn announce_errands(plan: &Plan) -> Vec<(PreparedErrand, AnnouncedErrand)> {
    plan.waits.errands.iter().map(|errand| (errand.clone(), AnnouncedErrand::new(errand))).collect()
}

/// The crash points of two kinds of steps that are rarer than others.
fn crash_in_between(intends: bool, parks: bool, when: &str) {
    match (intends, parks, when) {
        (true, _, "before") => fail::fail_point!("intent_before_commit"),
        (true, _, _) => fail::fail_point!("intent_after_commit"),
        (_, true, "before") => fail::fail_point!("park_before_commit"),
        (_, true, _) => fail::fail_point!("park_after_commit"),
        _ => {}
    }
}

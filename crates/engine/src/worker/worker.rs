//! Running one turn: hear what happened, ask the machine, do what it says.

use crate::{
    agents::handler::Handler,
    budget::purse::{Paid, Refusal},
    calls::{run_tool::Finished, weigh_call::Permit},
    claim::{
        claimed::{Claimed, Recovery},
        planned_call::{CallOutcome, PersonRequest, PlannedCall},
        record::{Record, Written},
        running::Announced,
        step_machine::{step, step_all},
    },
    engine::Engine,
    errands::prepared_errand::PreparedErrand,
    error::Result,
    follow::{
        feed::{Feed, Feeds},
        hints::Hints,
    },
    model::{
        ask::{Ask, Waiting},
        draft::Draft,
    },
    prompt::Injection,
    store_retry::Patience,
    telemetry::{self, Asked as AskedModel},
    wake_ups::WakeUp,
    worker::{
        commit::{Commit, Committed},
        plan::Planner,
    },
};
use capability::{Registry, Resolved};
use domain::{
    Agent, AgentState, Approval, CallId, CallStatus, EffectClass, Event, Origin, Session, Source, TurnError,
    TurnId, User,
};
use provider::{ErrorKind, Model, ModelEvent, ModelRequest, ProviderError};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};
use store::{DataKey, audit::AuditEntry, calls::StoredCall};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, field};
use turn::{CallState, Effect, Input, Progress};
use uuid::Uuid;

/// The hands of one turn. Lives as long as the turn runs here.
pub(crate) struct Worker {
    pub(crate) engine: Engine,
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) agent: Agent,
    /// Its owner shares it no longer with whose session it is: the model is not asked again.
    pub(crate) unshared: bool,
    pub(crate) turn_id: TurnId,
    pub(crate) epoch: u64,
    pub(crate) attempt: u32,
    pub(crate) source: Source,
    pub(crate) record: Record,
    /// The next transaction says that the turn has started again.
    pub(crate) announce: bool,
    pub(crate) feed: Arc<Feed>,
    pub(crate) resolved: Arc<Resolved>,
    pub(crate) model: std::result::Result<Model, ProviderError>,
    /// The open message as far as it is written.
    pub(crate) draft: Draft,
    /// What the model is sent for the open message; kept for the case that it has to be sent again.
    pub(crate) request: Option<ModelRequest>,
    pub(crate) asking: Option<Ask>,
    /// The model has failed, and this is when it is asked again.
    pub(crate) waiting: Option<Waiting>,
    /// The next request has no row yet: it is noted when it goes out.
    pub(crate) unnoted: bool,
    /// Tokens of the last request.
    pub(crate) weighed: u64,
    /// Tokens that the conversation could have in it.
    pub(crate) room: u64,
    /// Something of the conversation had no room in it.
    pub(crate) crowded: bool,
    /// The same request, as an operator sees it.
    pub(crate) asked: Option<AskedModel>,
    /// The calls of the current message, for their names and arguments.
    pub(crate) calls: HashMap<CallId, PlannedCall>,
    pub(crate) results: HashMap<CallId, CallOutcome>,
    /// Calls that wait until others are done.
    pub(crate) held: Vec<CallId>,
    /// What people are asked for calls that wait for them.
    pub(crate) asked_people: HashMap<CallId, PersonRequest>,
    /// What people said to the requests of calls that waited.
    pub(crate) approvals: HashMap<CallId, Approval>,
    /// By what leave calls run that are about to.
    pub(crate) permits: HashMap<CallId, Permit>,
    /// What the gate decided, until it is written down with the next thing that is stored.
    pub(crate) audits: Vec<AuditEntry>,
    /// What calls give to other agents, until that is stored.
    pub(crate) errands: HashMap<CallId, PreparedErrand>,
    /// The calls that wait for other agents.
    pub(crate) errand_calls: HashSet<CallId>,
    pub(crate) tools: JoinSet<Finished>,
    /// Ends the tools of this turn.
    pub(crate) tools_stop: CancellationToken,
    pub(crate) failure: Option<ProviderError>,
    /// What a person is asked before the model is, until that is stored.
    pub(crate) leave: Option<Box<Approval>>,
    /// Why there is no money for the open message.
    pub(crate) refusal: Option<Refusal>,
    /// What the model may write of what was held back for it; none where nobody has set a budget.
    pub(crate) paid: Option<Paid>,
    pub(crate) heard: VecDeque<Input>,
    /// Whose session it is, read when somebody first wants to know.
    pub(crate) person: Option<User>,
    /// Hooks that failed in this turn, and when: they are not tried again.
    pub(crate) muted: HashSet<(String, &'static str)>,
    /// What the log of the session is told of them, with the next thing that is stored.
    pub(crate) complaints: Vec<TurnError>,
    /// What the model is told because a condition holds; the log hears of it in the same way.
    pub(crate) injection: Injection,
    /// Up to which message of people hooks have been told.
    pub(crate) received: u64,
    /// The turn is no longer ours.
    pub(crate) lost: bool,
    pub(crate) stop: CancellationToken,
    answered: Arc<Notify>,
    stopped: bool,
    since: Instant,
    /// What earlier workers of this turn had used of its time.
    base_ms: u64,
}

enum Flow {
    GoOn,
    /// Nothing goes on before a person speaks.
    Parked,
    Over(After),
}

/// What there is to do when nobody works on a turn any more.
enum After {
    /// The turn that was waiting behind it has been started with its end.
    Next(Box<Claimed>),
    /// Something waits behind it that has not been started.
    Waiting,
    Nothing,
    /// The turn goes on, and somebody has to take it up.
    Lost,
}

impl Engine {
    /// See [`crate::claim::turn_starter::TurnStarter::run_turn`].
    pub(crate) fn spawn_worker(&self, claimed: Claimed, events: &[Event]) {
        let engine = self.clone();
        let feed = self.state::<Feeds>().get(claimed.session.id);
        feed.publish(events);
        self.state::<Hints>().events(claimed.session.user_id, events);
        let mut next = Some(claimed.announced(self));
        let work = async move {
            // Held until its follower's is taken, so that there is no moment at which this session looks abandoned.
            let mut announced;
            while let Some((claimed, mine)) = next.take() {
                announced = mine;
                let (turn_id, session_id) = (claimed.turn_id, claimed.session.id);
                let span = tracing::info_span!("turn", turn = %turn_id, session = %session_id, outcome = field::Empty);
                let registry = match engine.registry_of(&claimed.agent).await {
                    Ok(registry) => registry,
                    Err(error) => {
                        tracing::warn!(%error, turn = %turn_id, "abilities cannot be read; the turn is taken up again");
                        drop(announced);
                        return engine.take_up_soon(turn_id);
                    }
                };
                let user_id = claimed.session.user_id;
                let worker = Worker::new(engine.clone(), claimed, &registry, feed.clone(), &announced);
                match Box::pin(worker.run().instrument(span)).await {
                    After::Next(claimed) => next = Some(claimed.announced(&engine)),
                    After::Waiting => engine.start_waiting_soon(session_id, user_id),
                    After::Nothing => {}
                    After::Lost => {
                        drop(announced);
                        return engine.take_up_soon(turn_id);
                    }
                }
            }
        };
        self.spawn("turn", work);
    }
}

impl Worker {
    fn new(
        engine: Engine,
        claimed: Claimed,
        registry: &Registry,
        feed: Arc<Feed>,
        announced: &Announced,
    ) -> Self {
        let Claimed { key, session, agent, unshared, turn_id, epoch, attempt, source, record, .. } = claimed;
        let recovery = claimed.recovery;
        let known = Handler::of(&agent.handler)
            .ok_or_else(|| ProviderError::new(ErrorKind::Configuration, Handler::unknown(&agent.handler)));
        let (resolved, model) = match registry.resolve(&agent.capabilities, &agent.allowed_tools) {
            Ok(resolved) => (resolved, engine.models().resolve(agent.model.as_deref())),
            // The agent cannot run as it is stored; the turn ends with what is wrong.
            Err(error) => {
                (Resolved::default(), Err(ProviderError::new(ErrorKind::Configuration, error.to_string())))
            }
        };
        let model = known.and(model);
        let resolved = Arc::new(resolved);
        let base_ms = record.active_ms;
        let mut worker = Self {
            announce: recovery.as_ref().is_some_and(|recovery| !recovery.woken),
            engine,
            key,
            session,
            agent,
            unshared,
            turn_id,
            epoch,
            attempt,
            source,
            record,
            feed,
            resolved,
            model,
            draft: Draft::default(),
            request: None,
            asking: None,
            waiting: None,
            unnoted: false,
            weighed: 0,
            room: 0,
            crowded: false,
            asked: None,
            person: None,
            muted: HashSet::new(),
            complaints: Vec::new(),
            injection: Injection::default(),
            received: 0,
            lost: false,
            calls: HashMap::new(),
            results: HashMap::new(),
            held: Vec::new(),
            asked_people: HashMap::new(),
            approvals: HashMap::new(),
            permits: HashMap::new(),
            audits: Vec::new(),
            errands: HashMap::new(),
            errand_calls: HashSet::new(),
            tools: JoinSet::new(),
            tools_stop: CancellationToken::new(),
            failure: None,
            leave: None,
            refusal: None,
            paid: None,
            heard: VecDeque::new(),
            stop: announced.stop.clone(),
            answered: announced.answered.clone(),
            stopped: false,
            since: Instant::now(),
            base_ms,
        };
        worker.recall(recovery);
        worker
    }

    /// Takes up what a dead worker left.
    fn recall(&mut self, recovery: Option<Recovery>) {
        let Some(mut recovery) = recovery else { return };
        let current = |call: &&StoredCall| call.message_id == self.record.message_id;
        // A call whose request was answered is decided anew, whatever its row says.
        let answered: HashMap<CallId, Approval> = recovery.answers.approvals.drain(..).collect();
        let status = |call: &StoredCall| match answered.contains_key(&call.id) {
            true => CallStatus::Pending,
            false => call.status,
        };
        let rows: Vec<(CallId, CallStatus)> =
            recovery.calls.iter().filter(current).map(|call| (call.id, status(call))).collect();
        for call in &recovery.calls {
            // It has come to its end, and that is written down: whoever runs it again only reads that.
            if call.has_receipt
                && let Some(known) = self.record.state.calls.iter_mut().find(|known| known.id == call.id)
            {
                known.class = EffectClass::Txn;
            }
        }
        for call in recovery.calls {
            let in_text = call.message_id == self.record.message_id && call.origin != Origin::Native;
            let planned = PlannedCall::from(call);
            if in_text && self.record.state.message_open() {
                self.draft.text_calls.push(planned.clone());
            }
            self.calls.insert(planned.id, planned);
        }
        if let Some(Written { text, thinking }) = self.record.written.clone() {
            (self.draft.text, self.draft.thinking) = (text, thinking);
        }
        if recovery.stop {
            // Whoever works for its calls is stopped with it.
            self.errand_calls.extend(recovery.answers.errands);
        } else if recovery.woken && self.record.state.parked && self.record.state.message_open() {
            return self.heard.push_back(Input::LeaveHeard);
        } else {
            self.hear_answers(recovery.answers);
            // An answered turn that had nothing else to do has nothing to recover from.
            if self.heard.is_empty() || !self.record.state.at_rest() || !answered.is_empty() {
                self.heard.push_back(Input::Recovered { stalls: recovery.stalls, calls: rows });
            }
            self.approvals = answered;
            return;
        }
        // What was shown of an open message died with its worker: readers drop it before they hear that it was stopped.
        if self.record.state.message_open() {
            self.heard.push_back(Input::Recovered { stalls: 0, calls: rows });
        }
        self.heard.push_back(Input::Cancelled);
    }

    /// Runs to the end of the turn.
    async fn run(mut self) -> After {
        self.status_changed(AgentState::Working).await;
        if self.heard.is_empty() {
            self.perform(Effect::BuildPrompt).await;
        }
        while let Some(input) = self.next_input().await {
            match Box::pin(self.apply(input)).await {
                Ok(Flow::GoOn) => {}
                Ok(Flow::Over(after)) => {
                    self.consider_title();
                    self.consider_compaction();
                    return after;
                }
                // Whoever answers sets the turn going again.
                Ok(Flow::Parked) => return After::Nothing,
                Err(error) => {
                    // The store has the truth; whoever takes the turn up goes on from there.
                    tracing::warn!(%error, "the turn stops here and is taken up again");
                    break;
                }
            }
        }
        self.end_tools().await;
        After::Lost
    }

    async fn apply(&mut self, input: Input) -> Result<Flow> {
        let ends_now = matches!(input, Input::Cancelled | Input::Deadline);
        // A message that is cut off has cost something too; the machine cannot know how much.
        let cut_off = ends_now && self.record.state.message_open();
        let failed = matches!(input, Input::ModelFailed(_) | Input::BudgetRefused);
        if ends_now {
            self.account_for_draft();
            self.end_tools().await;
        }
        self.compare_outcome(&input);
        // Answers that are to be heard with it, because the turn must not wait for what is there.
        let mut answered: Vec<Input> = Vec::new();
        let (mut patience, mut starts_next) = (Patience::default(), true);
        loop {
            let inputs = answered.iter().chain([&input]);
            let (mut next, effects) = step_all(self.record.state.clone(), inputs.cloned());
            if cut_off || failed {
                next.usage = next.usage.plus(self.draft.usage);
            }
            let (durable, outside): (Vec<_>, Vec<_>) = effects.into_iter().partition(Effect::is_durable);
            if durable.is_empty() {
                self.record.state = next;
                self.perform_all(outside).await;
                self.release_held().await;
                return Ok(Flow::GoOn);
            }
            let ends = next.ended().is_some();
            let committed = match Box::pin(self.commit(next, &durable, starts_next)).await {
                Err(store::Error::Steering) => {
                    // Somebody spoke up at the last moment: the machine hears that first, then the same input again.
                    let (state, _) = step(self.record.state.clone(), Input::Steered(1));
                    self.record.state = state;
                    continue;
                }
                Err(store::Error::Stopping) => {
                    // Nobody would be there to stop it: it is stopped instead of waiting.
                    self.stop.cancel();
                    return Ok(Flow::GoOn);
                }
                Err(store::Error::Answered) => {
                    let more = self.take_answers(&input).await?;
                    if more.is_empty() {
                        return Err(store::Error::Answered.into());
                    }
                    answered.extend(more);
                    continue;
                }
                // Nothing was stored and nothing is decided: the tools go on meanwhile.
                Err(error) if patience.again(&self.engine, &error).await => continue,
                Err(error) if ends && starts_next && may_be_of_next(&error) => {
                    tracing::warn!(%error, "the end of the turn could not be stored; it is tried without the next one");
                    starts_next = false;
                    continue;
                }
                other => other?,
            };
            if self.record.state.ended().is_some() {
                return Ok(Flow::Over(match committed {
                    Committed { next: Some(next), .. } => After::Next(Box::new(next)),
                    Committed { waiting: true, .. } => After::Waiting,
                    _ => After::Nothing,
                }));
            }
            if self.record.state.parked {
                return Ok(Flow::Parked);
            }
            if committed.stop {
                self.stop.cancel();
            }
            self.perform_all(outside).await;
            self.release_held().await;
            return Ok(Flow::GoOn);
        }
    }

    /// The answers that came while `input` was being stored, for calls that still wait.
    async fn take_answers(&mut self, input: &Input) -> Result<Vec<Input>> {
        self.look_for_answers().await?;
        let waiting = |call: CallId| {
            let waits = |known: &CallState| known.id == call && known.progress == Progress::Waiting;
            self.record.state.calls.iter().any(waits)
        };
        let is_answer = |heard: &Input| match heard {
            Input::CallDone { call, .. } | Input::CallDecided { call, .. } => {
                waiting(*call) && heard != input
            }
            _ => false,
        };
        let (answers, rest) = std::mem::take(&mut self.heard).into_iter().partition(is_answer);
        self.heard = rest;
        Ok(VecDeque::into(answers))
    }

    async fn commit(
        &mut self,
        next: turn::State,
        durable: &[Effect],
        starts_next: bool,
    ) -> store::Result<Committed> {
        let now = self.engine.now();
        self.note_surplus(durable);
        let plan = Planner::new(self, &next, now).plan(durable);
        let mut record = Record { state: next, active_ms: self.active_ms(), ..self.record.clone() };
        record.message_id = plan.message_id.unwrap_or(record.message_id);
        record.model_call_id = plan.model_call_id.unwrap_or(record.model_call_id);
        record.leave = plan.leave.as_ref().map(|approval| approval.call_id).or(record.leave);
        record.written =
            if record.state.message_open() { plan.written.clone().or(record.written) } else { None };
        let opens =
            plan.message_id.is_some() || durable.iter().any(|e| matches!(e, Effect::RestartMessage { .. }));
        let report = match plan.end {
            Some(_) if self.source.is_part_of_turn() => Some(self.record.provenance.label),
            _ => None,
        };
        let going = self.announce_errands(&plan);
        let commit = Commit {
            engine: self.engine.clone(),
            key: self.key.clone(),
            session: self.session.clone(),
            turn_id: self.turn_id,
            epoch: self.epoch,
            attempt: self.attempt,
            record: record.clone(),
            plan,
            audits: self.audits.clone(),
            now,
            report,
            starts_next,
        };
        let unnoted = commit.plan.model_call_id.is_some() && commit.plan.new_model_call.is_none();
        let (intends, parks) = (commit.plan.written.is_some(), commit.plan.park);
        let expires = commit.plan.questions.iter().any(|(_, expires)| expires.is_some())
            || !commit.plan.approvals.is_empty()
            || commit.plan.leave.is_some();
        fail::fail_point!("turn_before_commit");
        crash_in_between(intends, parks, "before");
        let mut committed =
            self.engine.store().write(async move |tx| Box::pin(commit.write(tx)).await).await?;
        fail::fail_point!("turn_after_commit");
        crash_in_between(intends, parks, "after");
        if expires || !going.is_empty() {
            self.engine.wake(WakeUp::Expires);
        }
        self.errands_given(going, std::mem::take(&mut committed.errands));
        self.announce = false;
        self.complaints.clear();
        self.injection = Injection::default();
        self.audits.clear();
        self.leave = None;
        self.record = record;
        if opens {
            self.unnoted = unnoted;
            self.draft = Draft::default();
            self.calls.clear();
            self.results.clear();
            self.asked_people.clear();
            self.approvals.clear();
            self.permits.clear();
            self.errands.clear();
            self.errand_calls.clear();
            self.held.clear();
        }
        if let Some(next) = &mut committed.next {
            // Before anybody can hear of it, so that a stop finds it.
            next.announced = Some(self.engine.announce(next.turn_id, next.session.id));
        }
        if let Some(outcome) = self.record.state.ended() {
            telemetry::turn_ended(outcome, self.record.state.usage, self.record.active_ms);
        }
        self.feed.publish(&committed.events);
        self.engine.state::<Hints>().events(self.session.user_id, &committed.events);
        committed.settle_errands(&self.engine, self.turn_id);
        self.statuses_changed(&committed.events).await;
        Ok(committed)
    }

    /// Waits for whatever happens next. `None` when the program is going down.
    async fn next_input(&mut self) -> Option<Input> {
        loop {
            if let Some(input) = self.heard.pop_front() {
                return Some(input);
            }
            if self.lost {
                return None;
            }
            let deadline = self.deadline();
            let waits_until = self.waiting.map_or(deadline, |waiting| waiting.until);
            let halt = self.engine.inner.halt.clone();
            tokio::select! {
                biased;
                () = halt.cancelled() => return None,
                () = self.stop.cancelled(), if !self.stopped => {
                    self.stopped = true;
                    return Some(Input::Cancelled);
                }
                () = self.answered.notified(), if self.record.state.waits() => {
                    if let Err(error) = self.look_for_answers().await {
                        tracing::warn!(%error, "answers could not be read; they are looked for again");
                    }
                }
                () = sleep_until(deadline), if !self.record.state.parked => return Some(Input::Deadline),
                Some(joined) = self.tools.join_next(), if !self.tools.is_empty() => {
                    if let Some(input) = self.tool_finished(joined) {
                        return Some(self.after_hooks(input).await);
                    }
                }
                () = sleep_until(waits_until), if self.waiting.is_some() => {
                    if let Some(waiting) = self.waiting.take() {
                        self.pay_and_ask(waiting.most_output).await;
                    }
                }
                event = next_of(&mut self.asking) => {
                    if let Some(Ok(ModelEvent::Paused)) = &event {
                        self.go_on().await;
                        continue;
                    }
                    self.response_updated(&event).await;
                    if let Some(input) = self.model_said(event) {
                        return Some(self.after_hooks(input).await);
                    }
                }
            }
        }
    }

    async fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.perform(effect).await;
        }
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::BuildPrompt => self.build_prompt().await,
            Effect::AskModel { delay_ms, max_output_tokens, .. } => {
                self.ask_after(Duration::from_millis(delay_ms), max_output_tokens).await;
            }
            Effect::DecideCall { call } => self.decide(call).await,
            Effect::RunCall { call } => self.run_call(call).await,
            _ => {}
        }
    }

    fn active_ms(&self) -> u64 {
        let here = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.base_ms.saturating_add(here)
    }

    fn deadline(&self) -> Instant {
        let limit = Duration::from_secs(u64::from(self.record.state.limits.wall_seconds));
        self.since + limit.saturating_sub(Duration::from_millis(self.base_ms))
    }

    pub(crate) fn new_uuid(&self) -> Uuid {
        self.engine.inner.ids.uuid()
    }

    /// The person's.
    pub(crate) fn time_zone(&self) -> String {
        self.person.as_ref().map_or_else(|| "UTC".to_owned(), |person| person.time_zone.clone())
    }

    pub(crate) fn call_name(&self, call: CallId) -> String {
        self.calls.get(&call).map(|planned| planned.name.clone()).unwrap_or_default()
    }
}

/// The turn that waits is started in the transaction that ends the one before it. What is wrong with the one must not keep
/// the other from ending.
const fn may_be_of_next(error: &store::Error) -> bool {
    use store::Error::{Answered, Fenced, Spent, Steering, Stopping, Uncertain};
    !matches!(error, Fenced | Steering | Stopping | Answered | Spent | Uncertain(_))
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

/// The next word of the model, or never when none is being asked.
async fn next_of(asking: &mut Option<Ask>) -> Option<std::result::Result<ModelEvent, ProviderError>> {
    match asking {
        Some(ask) => ask.next().await,
        None => std::future::pending().await,
    }
}

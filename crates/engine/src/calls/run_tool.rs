//! Calls: may it run, run it, and what came of it. The one place that starts a tool.

use crate::{
    calls::system_functions::{Function, Place},
    claim::planned_call::{CallOutcome, PersonRequest, PlannedCall},
    engine::Engine,
    ports::{
        colleagues::{CallColleagues, as_message},
        commands::AgentCommands,
        files::CallFiles,
        http::CallHttp,
        programs::CallProcesses,
        web_search::CallSearch,
    },
    prompt::provenance_label::Seen,
    shorten::cut,
    store_retry::Patience,
    telemetry,
    worker::Worker,
};
use capability::{Port, Ports, ResolvedTool, ToolContext, ToolError};
use domain::{CallId, EffectClass, Label, Origin, ResultStatus, RuleId, TurnStatus};
use futures_util::FutureExt;
use gate::Why;
use markup::Order;
use serde_json::json;
use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};
use store::turns::TurnUpdate;
use tokio::task::JoinError;
use tracing::{Instrument, Span};
use turn::{Decision, Input, Progress};

/// A tool that has come back.
pub(crate) struct Finished {
    call: CallId,
    outcome: CallOutcome,
}

impl Worker {
    /// Whom a call is for; what is for a tool is decided by the gate, now.
    pub(crate) async fn decide(&mut self, call: CallId) {
        if self.must_wait(call) {
            return self.held.push(call);
        }
        let Some(planned) = self.calls.get(&call).cloned() else { return };
        match planned.made.target.as_deref() {
            None | Some("@system") => self.weigh(&planned).await,
            Some("@user") if planned.name == "ask" => match self.question_of(&planned) {
                Ok(question) => {
                    self.asked_people.insert(call, PersonRequest::Question(Box::new(question)));
                    self.heard.push_back(Input::CallDecided { call, decision: Decision::Wait });
                }
                Err(problem) => {
                    self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem));
                }
            },
            Some("@user") if planned.name == "notify" => self.tell_shown(call),
            // Assertions that only show something: people see them when the message is complete.
            Some(_) if planned.origin == Origin::Assertion => {
                let outcome = match markup::shown(&planned.name, &planned.arguments) {
                    Ok(shown) => CallOutcome::new(ResultStatus::Ok, shown.result.to_string()),
                    Err(problem) => CallOutcome::error(ResultStatus::Error, &problem),
                };
                self.settle_without_run(call, outcome);
            }
            Some("@agent") => self.weigh_words(planned).await,
            Some(other) => {
                let words = match other {
                    "@user" => format!("@user takes ask and notify, not {}", planned.name),
                    other => format!("No handler for target: {other}"),
                };
                self.deny(&planned, &Why::NotGranted, &words);
            }
        }
    }

    fn tell_shown(&mut self, call: CallId) {
        self.settle_without_run(call, CallOutcome::new(ResultStatus::Ok, json!("shown").to_string()));
    }

    /// Nothing is run for it, and it is settled like one that was.
    pub(crate) fn settle_without_run(&mut self, call: CallId, outcome: CallOutcome) {
        telemetry::tool_ended(&telemetry::tool_span(call, None), outcome.status, Instant::now());
        self.results.insert(call, outcome);
        self.heard.push_back(Input::CallDecided { call, decision: Decision::Run });
    }

    /// Decides the calls that had to wait for others, as far as these are done.
    pub(crate) async fn release_held(&mut self) {
        for call in std::mem::take(&mut self.held) {
            self.decide(call).await;
        }
    }

    /// Calls in a text run one after the other, unless they were made to run together. A question holds nobody up: it may
    /// take days.
    fn must_wait(&self, call: CallId) -> bool {
        let lane = |id: &CallId| {
            let planned = self.calls.get(id).filter(|planned| planned.origin != Origin::Native)?;
            Some(planned.standing.as_ref().map_or(Order::InTurn, |standing| standing.order.clone()))
        };
        let Some(mine) = lane(&call) else { return false };
        let before = self.record.state.calls.iter().take_while(|known| known.id != call);
        let mut busy = before.filter(|known| matches!(known.progress, Progress::Pending | Progress::Running));
        busy.any(|known| match (lane(&known.id), &mine) {
            (None, _) => false,
            (Some(Order::Together { group }), Order::Together { group: own }) => group != *own,
            (Some(Order::Pipeline { key }), Order::Pipeline { key: own }) => key == *own,
            _ => true,
        })
    }

    /// Starts the tool of a call that may run.
    pub(crate) async fn run_call(&mut self, call: CallId) {
        let Some(mut planned) = self.calls.get(&call).cloned() else { return };
        if let Some(outcome) = self.results.get(&call) {
            return self.heard.push_back(Input::CallDone { call, status: outcome.status });
        }
        if planned.made.target.as_deref() == Some("@agent") {
            planned = as_message(planned);
        }
        if planned.made.target.is_some()
            && let Some(function) = Function::of(&planned.name)
        {
            return self.run_function(planned, function);
        }
        let Some(tool) = self.resolved.tool(&planned.name).cloned() else {
            return self
                .settle_now(call, CallOutcome::error(ResultStatus::Error, "the tool is no longer there"));
        };
        // Intent before effect: what must not run twice, or was permitted once, is marked as begun before it begins.
        let permit = self.permits.remove(&call).unwrap_or_default();
        if !planned.class.runs_again() || permit.approved || !permit.spends.is_empty() {
            let mut patience = Patience::default();
            let marked = loop {
                match self.mark_begun(call, permit.spends.clone()).await {
                    Err(error) if patience.again(&self.engine, &error).await => {}
                    marked => break marked,
                }
            };
            match marked {
                Ok(()) => {}
                Err(store::Error::Stopping) => {
                    // Whoever stopped it may have done so at another node: nothing begins after that.
                    self.stop.cancel();
                    let words = "the turn was stopped before this call began";
                    return self.settle_now(call, CallOutcome::error(ResultStatus::Error, words));
                }
                Err(store::Error::Spent) => {
                    let words = "the leave for one call was used by another; ask again";
                    return self.settle_now(call, CallOutcome::error(ResultStatus::Denied, words));
                }
                Err(error) => {
                    tracing::warn!(%error, "the turn stops here and is taken up again");
                    self.lost = true;
                    return;
                }
            }
        }
        fail::fail_point!("tool_before_run");
        let told = self.record.provenance.label;
        let seen = Seen::from(told.join(tool.tool.reads()));
        let mut context = self.context(call, &tool, (&seen, permit.label.unwrap_or(told))).await;
        if let Some(settings) = permit.settings {
            context.settings = settings;
        }
        let engine = self.engine.clone();
        let span = telemetry::tool_span(call, Some(&planned.name));
        let begun = Instant::now();
        let work = async move {
            let mut finished = run(&engine, tool, context, planned).await;
            finished.outcome.label = seen.label();
            telemetry::tool_ended(&Span::current(), finished.outcome.status, begun);
            finished
        };
        self.tools.spawn(work.instrument(span));
    }

    fn run_function(&mut self, planned: PlannedCall, function: Function) {
        let (engine, call) = (self.engine.clone(), planned.id);
        let label = self.record.provenance.label;
        let place = Place { user: self.session.user_id, session: self.session.id, label };
        let (span, begun) = (telemetry::tool_span(call, Some(function.name())), Instant::now());
        let most = self.engine.inner.settings.turn.result_chars;
        let work = async move {
            let mut outcome = engine.run_function(function, place, &planned.arguments).await;
            outcome.content = cut(outcome.content, most);
            telemetry::tool_ended(&Span::current(), outcome.status, begun);
            Finished { call, outcome }
        };
        self.tools.spawn(work.instrument(span));
    }

    async fn mark_begun(&mut self, call: CallId, spends: Vec<RuleId>) -> store::Result<()> {
        let state = self.record.to_bytes().map_err(crate::claim::record::unwritable)?;
        let (key, turn_id, epoch, now) = (self.key.clone(), self.turn_id, self.epoch, self.engine.now());
        let (status, attempt) = (TurnStatus::Running, self.attempt);
        let update = TurnUpdate { state, status, outcome: None, attempt, progress: true, at: now };
        let (audits, vault) = (self.audits.clone(), self.engine.store().vault().clone());
        fail::fail_point!("begin_before_commit");
        let begin = async move |tx: &mut store::Tx| {
            if store::turns::commit(tx, &key, turn_id, epoch, update).await? {
                return Err(store::Error::Stopping);
            }
            if !store::calls::start(tx, call, now).await? {
                return Err(store::Error::Fenced);
            }
            for rule in spends {
                store::rules::spend(tx, rule).await?;
            }
            store::audit::append_all(tx, &vault, audits).await
        };
        self.engine.store().write(begin).await?;
        self.audits.clear();
        fail::fail_point!("begin_after_commit");
        Ok(())
    }

    /// What a call is given: what its tool declared, and no more.
    async fn context(&mut self, call: CallId, tool: &ResolvedTool, seen: (&Seen, Label)) -> ToolContext {
        if self.person.is_none() {
            self.person = self.engine.user(self.session.user_id).await.ok();
        }
        ToolContext {
            session_id: self.session.id,
            turn_id: self.turn_id,
            call_id: call,
            user_id: self.session.user_id,
            time_zone: self.time_zone(),
            idempotency_key: call.to_string(),
            clock: self.engine.inner.clock.clone(),
            cancelled: self.tools_stop.clone(),
            settings: self.resolved.settings(&tool.capability),
            values: self.placeholder_values(),
            ports: self.ports(call, tool, seen),
        }
    }

    /// `weighed`: the label of everything that the gate knew of when it let the call run.
    fn ports(&self, call: CallId, tool: &ResolvedTool, (seen, weighed): (&Seen, Label)) -> Ports {
        tool.tool.ports().iter().fold(Ports::default(), |ports, port| match port {
            Port::Files => ports.with_files(Arc::new(CallFiles::new(self, call, seen.clone()))),
            Port::Http => ports.with_http(Arc::new(CallHttp { engine: self.engine.clone(), weighed })),
            Port::WebSearch => ports.with_web_search(Arc::new(CallSearch {
                engine: self.engine.clone(),
                user: self.session.user_id,
                agent: self.agent.clone(),
                session: self.session.id,
                turn: self.turn_id,
            })),
            Port::Processes => {
                ports.with_processes(Arc::new(CallProcesses::new(self, call, seen.clone(), weighed)))
            }
            Port::Colleagues => {
                ports.with_colleagues(Arc::new(CallColleagues::new(self, call, seen.clone())))
            }
            Port::Commands => ports.with_commands(Arc::new(AgentCommands {
                engine: self.engine.clone(),
                user: self.session.user_id,
                session: self.session.id,
                idempotency_key: call.to_string(),
            })),
        })
    }

    /// For a call that is answered without running.
    fn settle_now(&mut self, call: CallId, outcome: CallOutcome) {
        let status = outcome.status;
        telemetry::tool_ended(&telemetry::tool_span(call, None), status, Instant::now());
        self.results.insert(call, outcome);
        self.heard.push_back(Input::CallDone { call, status });
    }

    pub(crate) fn tool_finished(&mut self, joined: Result<Finished, JoinError>) -> Option<Input> {
        match joined {
            Ok(Finished { call, outcome }) => {
                let status = outcome.status;
                self.results.insert(call, outcome);
                Some(Input::CallDone { call, status })
            }
            // `run` catches what a tool does wrong; only an aborted task comes here, and its call is settled elsewhere.
            Err(_) => None,
        }
    }

    /// Ends whatever tools are running, and waits until they are gone.
    pub(crate) async fn end_tools(&mut self) {
        self.tools_stop.cancel();
        self.tools.shutdown().await;
        self.tools_stop = tokio_util::sync::CancellationToken::new();
    }
}

async fn run(
    engine: &Engine,
    tool: Arc<ResolvedTool>,
    context: ToolContext,
    planned: PlannedCall,
) -> Finished {
    let most = engine.inner.settings.turn.result_chars;
    let clean = |text: String| cut(engine.without_secrets(text), most);
    let (call, started_at) = (planned.id, context.clock.now());
    let has_effect = matches!(planned.class, EffectClass::Effect | EffectClass::Idem);
    // A panic in a tool is an error of that tool, not of the turn.
    let result = AssertUnwindSafe(tool.tool.run(&context, planned.arguments)).catch_unwind().await;
    let result = crate::faults::crash_points::unless_cut_off(result);
    fail::fail_point!("tool_after_run");
    let outcome = match result {
        Ok(Ok(value)) => CallOutcome::new(ResultStatus::Ok, clean(value.to_string())),
        Ok(Err(ToolError::Failed(text))) => {
            CallOutcome::new(ResultStatus::Error, clean(json!({ "error": text }).to_string()))
        }
        Ok(Err(ToolError::Unknown(text))) => {
            CallOutcome::new(ResultStatus::Unknown, clean(json!({ "error": text }).to_string()))
        }
        Ok(Err(ToolError::Unsuccessful(told))) => {
            CallOutcome::new(ResultStatus::Error, clean(told.to_string()))
        }
        Ok(Err(ToolError::Internal(detail))) => {
            tracing::error!(%call, detail, "a tool failed inside");
            broke(has_effect)
        }
        Err(_) => {
            tracing::error!(%call, "a tool panicked");
            broke(has_effect)
        }
    };
    Finished { call, outcome: CallOutcome { started_at: Some(started_at), ..outcome } }
}

/// A tool that broke may have had its effect before that, and only the tool could tell.
fn broke(has_effect: bool) -> CallOutcome {
    const WORDS: &str = "an internal error occurred in the tool";
    match has_effect {
        true => {
            let words = format!(
                "outcome unknown: {WORDS} after it had begun. Check whether it had its effect before repeating it"
            );
            CallOutcome::error(ResultStatus::Unknown, &words)
        }
        false => CallOutcome::error(ResultStatus::Error, WORDS),
    }
}

//! Runs the tool of a call that may run. The one place that starts a tool.

use crate::{
    calls::{
        agent_call::as_message,
        begin_refusal::BeginRefusal,
        call_table::CallTable,
        system_functions::{Function, FunctionCaller},
        weigh_call::Permit,
    },
    claim::{
        planned_call::{CallOutcome, PlannedCall},
        turn_context::{Inputs, TurnLost, TurnView},
    },
    engine::Engine,
    faults::crash_points,
    permission::spend_rules::spend,
    ports::{
        for_call::{self, CallNotes},
        output_order::NotedOrder,
    },
    reply::shorten::cut,
    store_retry::{Patience, find_out},
    telemetry,
};
use capability::{ResolvedTool, ToolContext, ToolError};
use domain::{CallId, EffectClass, ResultStatus, RuleId, TurnStatus};
use futures_util::FutureExt;
use prompt::provenance_label::SeenLabel;
use serde_json::{Value, json};
use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};
use store::turns::TurnUpdate;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};
use turn::Input;

/// What a call is told that would reach beyond a conversation that has nothing beyond it.
const NOT_HERE: &str = "Error: nothing is remembered in this conversation.";

/// A tool that has come back.
pub(crate) struct FinishedTool {
    pub(super) call: CallId,
    pub(super) outcome: CallOutcome,
}

impl CallTable {
    /// Starts the tool of a call that may run. `stop` is cancelled where the database says that the turn was stopped.
    pub(crate) async fn run_call(
        &mut self,
        at: &mut TurnView<'_>,
        call: CallId,
        stop: &CancellationToken,
    ) -> Inputs {
        let Some(mut planned) = self.calls.get(&call).cloned() else { return Ok(Vec::new()) };
        if let Some(outcome) = self.results.get(&call) {
            return Ok(vec![Input::CallDone { call, status: outcome.status }]);
        }
        if planned.made.target.as_deref() == Some("@agent") {
            planned = as_message(planned);
        }
        if planned.made.target.is_some()
            && let Some(function) = Function::of(&planned.name)
        {
            self.run_function(at, planned, function);
            return Ok(Vec::new());
        }
        let Some(tool) = at.turn.resolved.tool(&planned.name).cloned() else {
            let words = "the tool is no longer there";
            return Ok(vec![self.settle_now(call, CallOutcome::error(ResultStatus::Error, words))]);
        };
        let permit = self.permits.remove(&call).unwrap_or_default();
        // THREAT[memory-04] What is known beyond a conversation is for its person.
        if tool.tool.reads_beyond() && !at.turn.reaches_beyond() {
            let outcome = CallOutcome::new(ResultStatus::Error, NOT_HERE.to_owned());
            return Ok(vec![self.settle_now(call, outcome)]);
        }
        // Intent before effect: what must not run twice, or was permitted once, is marked as begun before it begins.
        if !planned.class.runs_again() || permit.approved || !permit.spends.is_empty() {
            match self.begin(at, call, &permit, stop).await? {
                None => {}
                Some(instead) => return Ok(vec![self.settle_now(call, instead)]),
            }
        }
        fail::fail_point!("tool_before_run");
        self.start_tool(at, planned, tool, permit).await;
        Ok(Vec::new())
    }

    /// Marks a call as begun, until the database can. Gives what comes of the call instead, where it must not begin.
    async fn begin(
        &mut self,
        at: &TurnView<'_>,
        call: CallId,
        permit: &Permit,
        stop: &CancellationToken,
    ) -> Result<Option<CallOutcome>, TurnLost> {
        let mut patience = Patience::default();
        let marked = loop {
            match self.mark_begun(at, call, permit.spends.clone()).await {
                Err(BeginRefusal::Store(error)) if patience.again(&at.turn.engine, &error).await => {}
                marked => break marked,
            }
        };
        match marked {
            Ok(()) => Ok(None),
            Err(BeginRefusal::Stopping) => {
                // It may have been stopped at another node: nothing begins after that.
                stop.cancel();
                let words = "the reply was stopped before this call began";
                Ok(Some(CallOutcome::error(ResultStatus::Error, words)))
            }
            Err(BeginRefusal::Spent) => {
                let words = "the approval for one call was used by another call; ask again";
                Ok(Some(CallOutcome::error(ResultStatus::Denied, words)))
            }
            Err(BeginRefusal::Store(error)) => {
                tracing::warn!(%error, "the turn stops here and is taken up again");
                Err(TurnLost)
            }
        }
    }

    async fn mark_begun(
        &mut self,
        at: &TurnView<'_>,
        call: CallId,
        spends: Vec<RuleId>,
    ) -> Result<(), BeginRefusal> {
        let turn = at.turn;
        let state = at.record.sealed(&turn.key, turn.turn_id)?;
        let sealed = state.clone();
        let (turn_id, epoch, now) = (turn.turn_id, turn.epoch, turn.engine.now());
        let (status, attempt) = (TurnStatus::Running, turn.attempt);
        let update = TurnUpdate { state, status, outcome: None, attempt, progress: true, at: now };
        let (audits, vault) = (self.audits.clone(), turn.engine.store().vault().clone());
        fail::fail_point!("begin_before_commit");
        let begin = move |tx: &mut store::Tx| {
            if store::turns::commit(tx, turn_id, epoch, update)? {
                return Err(BeginRefusal::Stopping);
            }
            if !store::calls::start(tx, call, now)? {
                return Err(store::Error::Fenced.into());
            }
            spend(tx, &spends)?;
            Ok(store::audit::append_all(tx, &vault, audits)?)
        };
        match turn.engine.store().attempt(begin).await {
            Err(BeginRefusal::Store(error)) => {
                return Err(find_out(&turn.engine, (turn_id, epoch), sealed, error).await.into());
            }
            begun => begun?,
        }
        self.audits.clear();
        fail::fail_point!("begin_after_commit");
        Ok(())
    }

    async fn start_tool(
        &mut self,
        at: &mut TurnView<'_>,
        planned: PlannedCall,
        tool: Arc<ResolvedTool>,
        permit: Permit,
    ) {
        let told = at.record.provenance.label;
        let seen = SeenLabel::from(told.join(tool.tool.reads()));
        let order = NotedOrder::default();
        let notes =
            CallNotes { seen: seen.clone(), weighed: permit.label.unwrap_or(told), order: order.clone() };
        let mut context = for_call::context(at, planned.id, &tool, &notes, &self.tools_stop).await;
        if let Some(settings) = permit.settings {
            context.settings = settings;
        }
        self.seen.insert(planned.id, seen.clone());
        let engine = at.turn.engine.clone();
        let span = telemetry::tool_span(planned.id, Some(&planned.name));
        let begun = Instant::now();
        let work = async move {
            let mut finished = run(&engine, tool, context, planned).await;
            finished.outcome.label = seen.label();
            finished.outcome.order = order.take();
            telemetry::tool_ended(&Span::current(), finished.outcome.status, begun);
            finished
        };
        self.tools.spawn(work.instrument(span));
    }

    fn run_function(&mut self, at: &TurnView<'_>, planned: PlannedCall, function: Function) {
        let (engine, call) = (at.turn.engine.clone(), planned.id);
        let (user, session) = (at.turn.session.user_id, at.turn.session.id);
        let caller = FunctionCaller { user, session, label: at.record.provenance.label };
        let (span, begun) = (telemetry::tool_span(call, Some(function.name())), Instant::now());
        let most = engine.inner.settings.turn.result_chars;
        let work = async move {
            let mut outcome = engine.run_function(function, caller, &planned.arguments).await;
            outcome.content = cut(outcome.content, most);
            telemetry::tool_ended(&Span::current(), outcome.status, begun);
            FinishedTool { call, outcome }
        };
        self.tools.spawn(work.instrument(span));
    }

    /// For a call that is answered without running.
    fn settle_now(&mut self, call: CallId, outcome: CallOutcome) -> Input {
        let status = outcome.status;
        telemetry::tool_ended(&telemetry::tool_span(call, None), status, Instant::now());
        self.results.insert(call, outcome);
        Input::CallDone { call, status }
    }
}

async fn run(
    engine: &Engine,
    tool: Arc<ResolvedTool>,
    context: ToolContext,
    planned: PlannedCall,
) -> FinishedTool {
    let most = engine.inner.settings.turn.result_chars;
    let clean = |text: String| cut(engine.without_secrets(text), most);
    let (call, started_at) = (planned.id, context.clock.now());
    let has_effect = matches!(planned.class, EffectClass::Effect | EffectClass::Idem);
    // A panic in a tool is an error of that tool, not of the turn.
    let result = AssertUnwindSafe(tool.tool.run(&context, planned.arguments)).catch_unwind().await;
    let result = crash_points::unless_cut_off(result);
    fail::fail_point!("tool_after_run");
    let is_plain = tool.tool.is_plain();
    let outcome = match result {
        Ok(Ok(Value::String(text))) if is_plain => CallOutcome::new(ResultStatus::Ok, clean(text)),
        Ok(Err(ToolError::Failed(text))) if is_plain => CallOutcome::new(ResultStatus::Error, clean(text)),
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
    FinishedTool { call, outcome: CallOutcome { started_at: Some(started_at), ..outcome } }
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

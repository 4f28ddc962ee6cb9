//! The loop of a worker: waits for what happens next, lets the machine hear it, until the turn ends or waits.

use crate::{
    calls::{
        hear_answers::{hears_approval, read_answers},
        text_calls::finish_reading,
    },
    claim::turn_context::TurnView,
    error::Result,
    follow::until::Until,
    store_retry::Patience,
    summaries::{compact, title},
    worker::{Worker, apply_input::WorkerFlow, worker::AfterTurn},
};
use domain::{AgentState, CallId};
use provider::{ModelEvent, ProviderError};
use std::{future::poll_fn, pin::pin, time::Duration};
use tokio::time::sleep_until;
use turn::{Effect, Input};

/// When another worker has the turn, a step that is being stored may take this long to finish: usually the database answers, and the
/// result of a tool is not lost.
const LAST_STEP: Duration = Duration::from_millis(300);
/// At a shutdown it may take longer, because no other worker asks the model meanwhile.
const LAST_STEP_AT_END: Duration = Duration::from_secs(3);

impl Worker {
    /// Runs to the end of the turn. If another worker takes the turn, or the program shuts down, it waits neither for a database that
    /// does not answer nor for the model.
    pub(super) async fn run(mut self) -> AfterTurn {
        let (lost, halt) = (self.signals.lost.clone(), self.turn.engine.inner.halt.clone());
        let too_long = async {
            lost.cancelled().await;
            let is_end = halt.is_cancelled();
            tokio::time::sleep(if is_end { LAST_STEP_AT_END } else { LAST_STEP }).await;
        };
        let after = tokio::select! {
            biased;
            after = Box::pin(self.work()) => after,
            () = too_long => None,
        };
        if let Some(after) = after {
            return after;
        }
        // Closed before the tools are ended, which may take a while: the next worker may ask the model at any moment.
        self.asking.stream = None;
        self.calls.end_tools().await;
        AfterTurn::Lost
    }

    /// `None` when the turn goes on without this worker.
    async fn work(&mut self) -> Option<AfterTurn> {
        self.status_changed(AgentState::Working).await;
        if self.heard.is_empty() {
            self.perform(Effect::BuildPrompt).await;
        }
        while let Some(input) = self.next_input().await {
            match Box::pin(self.apply(input)).await {
                Ok(WorkerFlow::GoOn) => {}
                Ok(WorkerFlow::Over(after)) => {
                    title::consider(&self.turn, &self.record);
                    compact::consider(&self.turn, &self.record, &self.asking, &self.window);
                    return Some(after);
                }
                // An answer, or another node, continues the turn.
                Ok(WorkerFlow::Parked | WorkerFlow::HandedOver) => return Some(AfterTurn::Nothing),
                Err(error) => {
                    // The next worker of the turn continues from what is stored.
                    tracing::warn!(%error, "the turn stops here and is taken up again");
                    return None;
                }
            }
        }
        None
    }

    /// Waits for what happens next. `None`: another worker has the turn, or the program shuts down.
    async fn next_input(&mut self) -> Option<Input> {
        // Most of what a worker hears are pieces of the reply; what else it waits for is made once for all of them.
        let mut lost = Until::new(self.signals.lost.clone());
        let mut stop = Until::new(self.signals.stop.clone());
        let deadline = self.clock.deadline(self.record.state.limits.wall_seconds);
        let mut too_late = pin!(sleep_until(deadline));
        loop {
            if let Some(input) = self.heard.pop_front() {
                return Some(input);
            }
            if self.lost {
                return None;
            }
            let asks_at = self.asking.retry.map_or(deadline, |retry| retry.until);
            tokio::select! {
                biased;
                () = poll_fn(|context| lost.poll(context)) => return None,
                () = poll_fn(|context| stop.poll(context)), if !self.signals.stopped => {
                    self.signals.stopped = true;
                    return Some(Input::Cancelled);
                }
                () = self.signals.answered.notified(), if self.record.state.waits() => {
                    if let Err(error) = self.look_for_answers().await {
                        tracing::warn!(%error, "answers could not be read; they are looked for again");
                    }
                }
                () = too_late.as_mut(), if !self.record.state.parked => return Some(Input::Deadline),
                Some(joined) = self.calls.tools.join_next(), if !self.calls.tools.is_empty() => {
                    if let Some(input) = self.calls.tool_finished(joined) {
                        return Some(self.after_hooks(input).await);
                    }
                }
                () = async { sleep_until(asks_at).await }, if self.asking.retry.is_some() => {
                    if let Some(retry) = self.asking.retry.take() {
                        self.ask_model(Duration::ZERO, retry.most_output).await;
                    }
                }
                event = self.asking.next_event() => {
                    if let Some(input) = self.model_event(event).await {
                        return Some(input);
                    }
                }
            }
        }
    }

    /// What one event of the model means for the turn, if anything.
    async fn model_event(
        &mut self,
        event: Option<std::result::Result<ModelEvent, ProviderError>>,
    ) -> Option<Input> {
        if let Some(Ok(ModelEvent::Paused)) = &event {
            self.go_on().await;
            return None;
        }
        self.response_updated(&event).await;
        let inputs = self.hear_model(event);
        self.heard.extend(inputs);
        // The calls that the last piece completed come before the end of the message.
        let input = self.heard.pop_front()?;
        Some(self.after_hooks(input).await)
    }

    fn hear_model(&mut self, event: Option<std::result::Result<ModelEvent, ProviderError>>) -> Vec<Input> {
        let (turn, window) = (&self.turn, &self.window);
        let input = match event {
            Some(Ok(ModelEvent::Text(text))) => {
                let (text, whole) = self.asking.add_text(turn, text);
                let mut inputs = self.calls.read_on(turn, &mut self.asking.draft, &text);
                inputs.extend(self.asking.grown(turn, window, whole));
                return inputs;
            }
            Some(Ok(ModelEvent::Thinking(text))) => self.asking.add_thinking(turn, window, text),
            // `model_event` has decided already whether the budget lets the reply continue.
            Some(Ok(ModelEvent::Paused)) => None,
            Some(Ok(ModelEvent::Done(completion))) => {
                self.asking.stream = None;
                let from_text = finish_reading(turn, &mut self.asking.draft);
                let done = self.asking.completed(turn, window, from_text, completion);
                self.calls.take_in(&self.asking.draft);
                Some(done)
            }
            Some(Err(error)) => Some(self.asking.broke(window, error)),
            None => Some(self.asking.broke_off(window)),
        };
        input.into_iter().collect()
    }

    /// Reads the answers that calls of this turn wait for, and hears them.
    pub(super) async fn look_for_answers(&mut self) -> Result<()> {
        let mut patience = Patience::default();
        let mut awaited = loop {
            match read_answers(&self.turn).await {
                // The error decides nothing; tools that run continue meanwhile.
                Err(error) if patience.again_after(&self.turn.engine, &error).await => {}
                read => break read?,
            }
        };
        let approvals = std::mem::take(&mut awaited.approvals);
        let inputs = self.calls.hear_answers(awaited, &self.heard);
        self.heard.extend(inputs);
        for (call, approval) in approvals {
            if hears_approval(&self.record.state, &self.heard, call) {
                self.calls.approvals.insert(call, approval);
                self.decide(call).await;
            }
        }
        Ok(())
    }

    /// Decides the calls that had to wait for others, as far as these are done.
    pub(super) async fn release_held(&mut self) {
        for call in self.calls.take_held() {
            self.decide(call).await;
        }
    }

    pub(super) async fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.perform(effect).await;
        }
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::BuildPrompt => self.build_prompt().await,
            Effect::AskModel { delay_ms, max_output_tokens, .. } => {
                self.ask_model(Duration::from_millis(delay_ms), max_output_tokens).await;
            }
            Effect::DecideCall { call } => self.decide(call).await,
            Effect::RunCall { call } => self.run_call(call).await,
            _ => {}
        }
    }

    async fn decide(&mut self, call: CallId) {
        let mut at = TurnView { turn: &self.turn, record: &self.record, owner: &mut self.owner };
        let decided = self.calls.decide(&mut at, call).await;
        self.hear(decided);
    }

    async fn run_call(&mut self, call: CallId) {
        let mut at = TurnView { turn: &self.turn, record: &self.record, owner: &mut self.owner };
        let run = self.calls.run_call(&mut at, call, &self.signals.stop).await;
        self.hear(run);
    }

    async fn ask_model(&mut self, delay: Duration, most_output: u64) {
        let mut at = TurnView { turn: &self.turn, record: &self.record, owner: &mut self.owner };
        let (window, audits) = (&mut self.window, &mut self.calls.audits);
        let asked = self.asking.ask_after(&mut at, window, audits, (delay, most_output)).await;
        self.hear(asked);
    }

    async fn go_on(&mut self) {
        let mut at = TurnView { turn: &self.turn, record: &self.record, owner: &mut self.owner };
        let gone_on = self.asking.go_on(&mut at).await;
        self.hear(gone_on);
    }
}

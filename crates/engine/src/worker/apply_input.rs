//! One input of a turn: the machine decides, the worker commits what must be durable, and then does the rest.

use crate::{
    claim::step_machine::{step, step_all},
    error::Result,
    store_retry::Patience,
    worker::{Worker, commit_refusal::CommitRefusal, worker::AfterTurn, write_plan::CommittedPlan},
};
use domain::CallId;
use std::collections::VecDeque;
use turn::{CallState, Decision, Effect, Input, Progress, State};

/// What a worker does after an input.
pub(super) enum WorkerFlow {
    GoOn,
    /// The turn is parked: it needs no worker until an answer is stored.
    Parked,
    /// Another node continues the turn.
    HandedOver,
    Over(AfterTurn),
}

/// What became of a step.
enum Stored {
    Committed(Box<CommittedPlan>),
    /// It was not stored: the machine must get another input first.
    Again,
    /// It is not stored at all: the turn is stopped instead of waiting.
    Stopped,
}

/// One input on its way through the machine.
struct PendingStep {
    input: Input,
    /// Answers that are heard with it, because the turn must not wait for what is there.
    answered: Vec<Input>,
    /// The message that it ends has cost something; the machine cannot know how much.
    charges_draft: bool,
    patience: Patience,
    /// The end of the turn starts the next one in the same transaction.
    starts_next: bool,
}

impl PendingStep {
    /// By which this call waits for others from now on.
    fn decision_to_wait(&mut self, call: CallId) -> Option<&mut Input> {
        let waits = |input: &&mut Input| **input == Input::CallDecided { call, decision: Decision::Wait };
        self.answered.iter_mut().chain([&mut self.input]).find(waits)
    }
}

impl Worker {
    pub(super) async fn apply(&mut self, input: Input) -> Result<WorkerFlow> {
        let ends_now = matches!(input, Input::Cancelled | Input::Deadline);
        // A message that is cut off has cost something too.
        let cut_off = ends_now && self.record.state.message_open();
        let failed = matches!(input, Input::ModelFailed(_) | Input::BudgetRefused);
        if ends_now {
            self.asking.account_for_draft();
            self.calls.end_tools().await;
        }
        self.calls.compare_outcome(&mut self.record, &input);
        let (answered, patience) = (Vec::new(), Patience::default());
        let mut pending =
            PendingStep { input, answered, charges_draft: cut_off || failed, patience, starts_next: true };
        loop {
            let inputs = pending.answered.iter().chain([&pending.input]);
            let (mut next, effects) = step_all(self.record.state.clone(), inputs.cloned());
            if pending.charges_draft {
                next.usage = next.usage.plus(self.asking.draft.usage);
            }
            let (durable, outside): (Vec<_>, Vec<_>) = effects.into_iter().partition(Effect::is_durable);
            if durable.is_empty() {
                self.record.state = next;
            } else {
                match self.store_step(&mut pending, next, &durable).await? {
                    Stored::Again => continue,
                    Stored::Stopped => return Ok(WorkerFlow::GoOn),
                    Stored::Committed(committed) => {
                        if let Some(flow) = self.after_commit(*committed) {
                            return Ok(flow);
                        }
                        if self.rests_before(&outside) && self.hand_over().await {
                            return Ok(WorkerFlow::HandedOver);
                        }
                    }
                }
            }
            if self.signals.lost.is_cancelled() {
                // Nothing new begins: neither a request to the model nor a tool.
                return Ok(WorkerFlow::GoOn);
            }
            self.perform_all(outside).await;
            self.release_held().await;
            return Ok(WorkerFlow::GoOn);
        }
    }

    /// Commits what must be durable of a step, or finds out why it cannot be.
    async fn store_step(
        &mut self,
        pending: &mut PendingStep,
        next: State,
        durable: &[Effect],
    ) -> Result<Stored> {
        let ends = next.ended().is_some();
        Ok(match Box::pin(self.commit(next, durable, pending.starts_next)).await {
            Err(CommitRefusal::Steering) => {
                // A person steered at the last moment: the machine hears that first, then the same input again.
                let (state, _) = step(self.record.state.clone(), Input::Steered(1));
                self.record.state = state;
                Stored::Again
            }
            Err(CommitRefusal::Stopping) => {
                // A parked turn has no worker that could stop it: it is stopped instead of waiting.
                self.signals.stop.cancel();
                Stored::Stopped
            }
            Err(CommitRefusal::Answered) => {
                let more = self.take_answers(&pending.input).await?;
                if more.is_empty() {
                    return Err(CommitRefusal::Answered.into());
                }
                pending.answered.extend(more);
                Stored::Again
            }
            Err(CommitRefusal::Errand { call, refusal }) => {
                // The other agent's queue is full, say. The machine hears of a call that failed; what runs beside it goes on.
                let Some(decision) = pending.decision_to_wait(call) else {
                    return Err(CommitRefusal::Errand { call, refusal }.into());
                };
                *decision = self.calls.refuse_errand(call, &refusal);
                Stored::Again
            }
            // Nothing was stored, so the step is tried again; tools that run continue meanwhile.
            Err(CommitRefusal::Store(error)) if pending.patience.again(&self.turn.engine, &error).await => {
                Stored::Again
            }
            Err(error) if ends && pending.starts_next && error.may_be_of_next() => {
                tracing::warn!(%error, "the end of the turn could not be stored; it is tried without the next one");
                pending.starts_next = false;
                Stored::Again
            }
            other => Stored::Committed(Box::new(other?)),
        })
    }

    /// `None` when there is more to do here.
    fn after_commit(&self, committed: CommittedPlan) -> Option<WorkerFlow> {
        if self.record.state.ended().is_some() {
            return Some(WorkerFlow::Over(match committed {
                CommittedPlan { next: Some(next), .. } => AfterTurn::Next(Box::new(next)),
                CommittedPlan { waiting: true, .. } => AfterTurn::Waiting,
                _ => AfterTurn::Nothing,
            }));
        }
        if self.record.state.parked {
            return Some(WorkerFlow::Parked);
        }
        if committed.stop {
            self.signals.stop.cancel();
        }
        None
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
}

//! Whom a call is for: a tool, which the gate decides about, a person, or another agent. And which calls wait for others.

use crate::{
    calls::{call_table::CallTable, question_call::question_of},
    claim::{
        planned_call::{CallOutcome, PersonRequest},
        turn_context::{Inputs, TurnView},
    },
    telemetry,
};
use domain::{CallId, Origin, ResultStatus};
use gate::Why;
use markup::Order;
use serde_json::json;
use std::time::Instant;
use turn::{Decision, Input, Progress, State};

impl CallTable {
    /// Decides about a call; what is for a tool is decided by the gate, now.
    pub(crate) async fn decide(&mut self, at: &mut TurnView<'_>, call: CallId) -> Inputs {
        if self.must_wait(&at.record.state, call) {
            self.held.push(call);
            return Ok(Vec::new());
        }
        let Some(planned) = self.calls.get(&call).cloned() else { return Ok(Vec::new()) };
        let heard = match planned.made.target.as_deref() {
            None | Some("@system") => return self.weigh(at, &planned).await,
            Some("@user") if planned.name == "ask" => match question_of(at.turn, &planned) {
                Ok(question) => {
                    self.asked_people.insert(call, PersonRequest::Question(Box::new(question)));
                    Input::CallDecided { call, decision: Decision::Wait }
                }
                Err(problem) => {
                    self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem))
                }
            },
            Some("@user") if planned.name == "notify" => {
                let shown = CallOutcome::new(ResultStatus::Ok, json!("shown").to_string());
                self.settle_without_run(call, shown)
            }
            // Assertions that only show something: people see them when the message is complete.
            Some(_) if planned.origin == Origin::Assertion => {
                let outcome = match markup::shown(&planned.name, &planned.arguments) {
                    Ok(shown) => CallOutcome::new(ResultStatus::Ok, shown.result.to_string()),
                    Err(problem) => CallOutcome::error(ResultStatus::Error, &problem),
                };
                self.settle_without_run(call, outcome)
            }
            Some("@agent") => return self.weigh_words(at, planned).await,
            Some(other) => {
                let words = match other {
                    "@user" => format!("@user takes ask and notify, not {}", planned.name),
                    other => format!("No handler for target: {other}"),
                };
                self.deny(at, &planned, &Why::NotGranted, &words)
            }
        };
        Ok(vec![heard])
    }

    /// Nothing is run for it, and it is settled like one that was.
    pub(super) fn settle_without_run(&mut self, call: CallId, outcome: CallOutcome) -> Input {
        telemetry::tool_ended(&telemetry::tool_span(call, None), outcome.status, Instant::now());
        self.results.insert(call, outcome);
        Input::CallDecided { call, decision: Decision::Run }
    }

    /// Calls in a text run one after the other, unless they were made to run together. A question holds no other call up: it
    /// may take days.
    fn must_wait(&self, state: &State, call: CallId) -> bool {
        let lane = |id: &CallId| {
            let planned = self.calls.get(id).filter(|planned| planned.origin != Origin::Native)?;
            Some(planned.standing.as_ref().map_or(Order::InTurn, |standing| standing.order.clone()))
        };
        let Some(mine) = lane(&call) else { return false };
        let before = state.calls.iter().take_while(|known| known.id != call);
        let mut busy = before.filter(|known| matches!(known.progress, Progress::Pending | Progress::Running));
        busy.any(|known| match (lane(&known.id), &mine) {
            (None, _) => false,
            (Some(Order::Together { group }), Order::Together { group: own }) => group != *own,
            (Some(Order::Pipeline { key }), Order::Pipeline { key: own }) => key == *own,
            _ => true,
        })
    }
}

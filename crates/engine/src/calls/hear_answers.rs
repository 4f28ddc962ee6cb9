//! How a turn hears what its calls waited for: the answers of people, and those of other agents.

use crate::{calls::run_tool::Outcome, error::Result, prompt::input_label, worker::Worker};
use domain::{Approval, CallId, Question, QuestionStatus, ResultStatus, TurnId};
use std::collections::HashSet;
use store::{DataKey, Tx, approvals, errands, questions};
use turn::Input;

/// What the waiting calls of a turn wait for.
#[derive(Default)]
pub(crate) struct Awaited {
    /// Answers of which they have not heard.
    pub(crate) answers: Vec<(CallId, Outcome)>,
    /// What people said to their requests.
    pub(crate) approvals: Vec<(CallId, Approval)>,
    /// Those that wait for another agent; the others wait for a person.
    pub(crate) errands: HashSet<CallId>,
}

impl Awaited {
    pub(crate) async fn read(tx: &mut Tx, key: &DataKey, turn: TurnId) -> store::Result<Self> {
        let approvals = approvals::unheard(tx, key, turn).await?;
        let mut awaited = Self { approvals, ..Self::default() };
        for question in questions::unheard(tx, key, turn).await? {
            let label = input_label::words(question.answer.as_deref().unwrap_or_default(), false, false);
            let outcome = Outcome { label, ..Outcome::new(ResultStatus::Ok, words(&question)) };
            awaited.answers.push((question.call_id, outcome));
        }
        for (errand, answer) in errands::awaited(tx, key, turn).await? {
            awaited.errands.insert(errand.parent_call);
            let outcome = answer
                .map(|answer| Outcome { label: answer.label, ..Outcome::new(answer.status, answer.content) });
            awaited.answers.extend(outcome.map(|outcome| (errand.parent_call, outcome)));
        }
        Ok(awaited)
    }

    /// Nobody has said anything of which they do not know.
    pub(crate) fn is_silent(&self) -> bool {
        self.answers.is_empty() && self.approvals.is_empty()
    }
}

impl Worker {
    /// Reads the answers that calls of this turn wait for.
    pub(crate) async fn look_for_answers(&mut self) -> Result<()> {
        let (key, turn) = (self.key.clone(), self.turn_id);
        let read = async move |tx: &mut Tx| Awaited::read(tx, &key, turn).await;
        let mut awaited = self.engine.store().read(read).await?;
        let approvals = std::mem::take(&mut awaited.approvals);
        self.hear_answers(awaited);
        self.hear_approvals(approvals).await;
        Ok(())
    }

    pub(crate) fn hear_answers(&mut self, awaited: Awaited) {
        self.errand_calls.extend(awaited.errands);
        for (call, outcome) in awaited.answers {
            let heard =
                |input: &Input| matches!(input, Input::CallDone { call: known, .. } if *known == call);
            if self.heard.iter().any(heard) {
                continue;
            }
            let status = outcome.status;
            self.results.insert(call, outcome);
            self.heard.push_back(Input::CallDone { call, status });
        }
    }
}

/// What the agent reads.
fn words(question: &Question) -> String {
    let answer = question.answer.clone().unwrap_or_default();
    let nobody = question.status == QuestionStatus::Expired && question.default.is_none();
    let text = if nobody { "nobody answered in time".to_owned() } else { answer };
    serde_json::Value::String(text).to_string()
}

//! What the calls of a parked turn wait for: the answers of people, and those of other agents. Read before a turn parks, when
//! it is taken up, and when its worker is told that there is an answer.

use crate::claim::planned_call::CallOutcome;
use domain::{Approval, CallId, Question, QuestionStatus, ResultStatus, TurnId};
use prompt::input_label;
use std::collections::HashSet;
use store::{DataKey, Tx, approvals, errands, questions};

/// What the waiting calls of a turn wait for.
#[derive(Default)]
pub(crate) struct Awaited {
    /// Answers of which they have not heard.
    pub(crate) answers: Vec<(CallId, CallOutcome)>,
    /// What people said to their requests.
    pub(crate) approvals: Vec<(CallId, Approval)>,
    /// Those that wait for another agent; the others wait for a person.
    pub(crate) errands: HashSet<CallId>,
}

impl Awaited {
    pub(crate) fn read(tx: &mut Tx, key: &DataKey, turn: TurnId) -> store::Result<Self> {
        let approvals = approvals::unheard(tx, key, turn)?;
        let mut awaited = Self { approvals, ..Self::default() };
        for question in questions::unheard(tx, key, turn)? {
            let label = input_label::words(question.answer.as_deref().unwrap_or_default(), false, false);
            let outcome = CallOutcome { label, ..CallOutcome::new(ResultStatus::Ok, words(&question)) };
            awaited.answers.push((question.call_id, outcome));
        }
        for (errand, answer) in errands::awaited(tx, key, turn)? {
            awaited.errands.insert(errand.parent_call);
            let outcome = answer.map(|answer| CallOutcome {
                label: answer.label,
                ..CallOutcome::new(answer.status, answer.content)
            });
            awaited.answers.extend(outcome.map(|outcome| (errand.parent_call, outcome)));
        }
        Ok(awaited)
    }

    /// There is no answer that they have not heard.
    pub(crate) fn is_silent(&self) -> bool {
        self.answers.is_empty() && self.approvals.is_empty()
    }
}

/// What the agent reads.
fn words(question: &Question) -> String {
    let answer = question.answer.clone().unwrap_or_default();
    let nobody = question.status == QuestionStatus::Expired && question.default.is_none();
    let text = if nobody { "not answered in time".to_owned() } else { answer };
    serde_json::Value::String(text).to_string()
}

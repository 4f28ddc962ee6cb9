//! How a turn hears what people answered.

use crate::{dispatch::Outcome, error::Result, recovery::Answers, worker::Worker};
use domain::{Question, QuestionStatus, ResultStatus};
use turn::Input;

impl Worker {
    /// Reads the answers that calls of this turn wait for.
    pub(crate) async fn look_for_answers(&mut self) -> Result<()> {
        let (key, turn) = (self.key.clone(), self.turn_id);
        let read = async move |tx: &mut store::Tx| crate::recovery::answers(tx, &key, turn).await;
        let Answers { answers, approvals } = self.engine.store().read(read).await?;
        self.hear_answers(answers);
        self.hear_approvals(approvals).await;
        Ok(())
    }

    pub(crate) fn hear_answers(&mut self, answers: Vec<Question>) {
        for question in answers {
            let heard =
                |input: &Input| matches!(input, Input::CallDone { call, .. } if *call == question.call_id);
            if self.heard.iter().any(heard) {
                continue;
            }
            let outcome = Outcome::new(ResultStatus::Ok, words(&question));
            self.results.insert(question.call_id, outcome);
            self.heard.push_back(Input::CallDone { call: question.call_id, status: ResultStatus::Ok });
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

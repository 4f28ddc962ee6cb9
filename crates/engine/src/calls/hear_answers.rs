//! How a turn hears what its calls waited for: the answers of people, and those of other agents.

use crate::{claim::awaited::Awaited, error::Result, worker::Worker};
use store::Tx;
use turn::Input;

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

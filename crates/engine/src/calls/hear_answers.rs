//! How the calls of a turn hear what they waited for: the answers of people, and those of other agents.

use crate::{
    calls::call_table::CallTable,
    claim::{awaited::Awaited, turn_context::TurnContext},
    error::Result,
};
use domain::CallId;
use std::collections::VecDeque;
use store::Tx;
use turn::{CallState, Input, Progress, State};

/// Reads the answers that calls of the turn wait for.
pub(crate) async fn read_answers(turn: &TurnContext) -> Result<Awaited> {
    let (key, turn_id) = (turn.key.clone(), turn.turn_id);
    let read = move |tx: &mut Tx| Awaited::read(tx, &key, turn_id);
    Ok(turn.engine.store().read(read).await?)
}

impl CallTable {
    /// What the machine hears of these answers, but for what is in `heard` and it will hear anyway. Approvals are not among
    /// them: the calls that waited for those are decided anew.
    pub(crate) fn hear_answers(&mut self, awaited: Awaited, heard: &VecDeque<Input>) -> Vec<Input> {
        self.errand_calls.extend(awaited.errands);
        let mut inputs: Vec<Input> = Vec::new();
        for (call, outcome) in awaited.answers {
            let is_heard =
                |input: &Input| matches!(input, Input::CallDone { call: known, .. } if *known == call);
            if heard.iter().chain(&inputs).any(is_heard) {
                continue;
            }
            let status = outcome.status;
            self.results.insert(call, outcome);
            inputs.push(Input::CallDone { call, status });
        }
        inputs
    }
}

/// The call waits, and `heard` does not decide it already: the answer of a person decides it anew.
pub(crate) fn hears_approval(state: &State, heard: &VecDeque<Input>, call: CallId) -> bool {
    let waits = |known: &CallState| known.id == call && known.progress == Progress::Waiting;
    let decided = |input: &Input| matches!(input, Input::CallDecided { call: known, .. } if *known == call);
    state.calls.iter().any(waits) && !heard.iter().any(decided)
}

//! Takes up what an earlier worker of the turn left: one that died, or one that let the turn wait for an answer.

use crate::{
    claim::{claimed::Recovery, planned_call::PlannedCall},
    worker::Worker,
};
use domain::{Approval, CallId, CallStatus, EffectClass, Origin};
use std::collections::HashMap;
use store::calls::StoredCall;
use turn::Input;

impl Worker {
    pub(super) fn resume(&mut self, mut recovery: Recovery) {
        // A call whose request was answered is decided anew, whatever its row says.
        let answered: HashMap<CallId, Approval> = recovery.answers.approvals.drain(..).collect();
        let rows = self.rows_of_message(&recovery.calls, &answered);
        for call in &recovery.calls {
            // It has come to its end, and that is written down: running it again only reads that.
            if call.has_receipt
                && let Some(known) = self.record.state.calls.iter_mut().find(|known| known.id == call.id)
            {
                known.class = EffectClass::Txn;
            }
        }
        self.take_in_calls(recovery.calls);
        if recovery.stop {
            // The agents that work for its calls are stopped with it.
            self.calls.errand_calls.extend(recovery.answers.errands);
        } else if recovery.woken && self.record.state.parked && self.record.state.message_open() {
            return self.heard.push_back(Input::PriceApprovalAnswered);
        } else {
            let inputs = self.calls.hear_answers(recovery.answers, &self.heard);
            self.heard.extend(inputs);
            // An answered turn that had nothing else to do has nothing to recover from.
            if self.heard.is_empty() || !self.record.state.at_rest() || !answered.is_empty() {
                self.heard.push_back(Input::Recovered { stalls: recovery.stalls, calls: rows });
            }
            self.calls.approvals = answered;
            return;
        }
        // What was shown of an open message died with its worker: readers drop it before they hear that it was stopped.
        if self.record.state.message_open() {
            self.heard.push_back(Input::Recovered { stalls: 0, calls: rows });
        }
        self.heard.push_back(Input::Cancelled);
    }

    /// How far the calls of the open message are, as far as their rows say.
    fn rows_of_message(
        &self,
        calls: &[StoredCall],
        answered: &HashMap<CallId, Approval>,
    ) -> Vec<(CallId, CallStatus)> {
        let status = |call: &StoredCall| match answered.contains_key(&call.id) {
            true => CallStatus::Pending,
            false => call.status,
        };
        let current = |call: &&StoredCall| call.message_id == self.record.message_id;
        calls.iter().filter(current).map(|call| (call.id, status(call))).collect()
    }

    fn take_in_calls(&mut self, calls: Vec<StoredCall>) {
        let open = self.record.state.message_open();
        let mut text_calls = Vec::new();
        for call in calls {
            let in_text = call.message_id == self.record.message_id && call.origin != Origin::Native;
            let planned = PlannedCall::from(call);
            if in_text && open {
                text_calls.push(planned.clone());
            }
            self.calls.calls.insert(planned.id, planned);
        }
        self.asking.resume(self.record.written.as_ref(), text_calls);
    }
}

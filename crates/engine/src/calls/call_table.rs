//! [`CallTable`] is the part of a worker that has the calls of the current message: what was decided about each, what each
//! waits for, which tools run, and what came of them.

use crate::{
    calls::{run_tool::FinishedTool, weigh_call::Permit},
    claim::planned_call::{CallOutcome, PersonRequest, PlannedCall},
    errands::prepared_errand::PreparedErrand,
    model::draft::Draft,
};
use domain::{Approval, CallId};
use prompt::provenance_label::SeenLabel;
use std::collections::{HashMap, HashSet};
use store::audit::AuditEntry;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use turn::Input;

/// The calls of the current message. The machine knows how far each has come; this is everything else.
#[derive(Default)]
pub(crate) struct CallTable {
    /// Every call of the message, with its name and arguments.
    pub(crate) calls: HashMap<CallId, PlannedCall>,
    /// What came of the calls that have ended, until that is stored.
    pub(crate) results: HashMap<CallId, CallOutcome>,
    /// Calls that are decided when those before them are done.
    pub(super) held: Vec<CallId>,
    /// What a person is asked for the calls that wait for one.
    pub(crate) asked_people: HashMap<CallId, PersonRequest>,
    /// What people answered to the approvals of calls that waited.
    pub(crate) approvals: HashMap<CallId, Approval>,
    /// By whose permission calls run that are about to run.
    pub(super) permits: HashMap<CallId, Permit>,
    /// Work for other agents that is prepared and not stored yet.
    pub(crate) errands: HashMap<CallId, PreparedErrand>,
    /// The calls that wait for another agent.
    pub(crate) errand_calls: HashSet<CallId>,
    /// What the calls whose tools were started have seen: whatever they say comes from that, also before they have ended.
    pub(crate) seen: HashMap<CallId, SeenLabel>,
    /// The tools that run.
    pub(crate) tools: JoinSet<FinishedTool>,
    /// Tells the running tools to end.
    pub(super) tools_stop: CancellationToken,
    /// What the gate decided, until it is written with the next commit.
    pub(crate) audits: Vec<AuditEntry>,
}

impl CallTable {
    /// A new message is open, or the same one is begun again: nothing of earlier calls counts any more.
    pub(crate) fn begin_message(&mut self) {
        self.calls.clear();
        self.results.clear();
        self.asked_people.clear();
        self.approvals.clear();
        self.permits.clear();
        self.seen.clear();
        self.errands.clear();
        self.errand_calls.clear();
        self.held.clear();
    }

    /// Takes in the calls of a draft that are new.
    pub(crate) fn take_in(&mut self, draft: &Draft) {
        for call in draft.text_calls.iter().chain(&draft.calls) {
            self.calls.entry(call.id).or_insert_with(|| call.clone());
        }
    }

    pub(crate) fn name_of(&self, call: CallId) -> String {
        self.calls.get(&call).map(|planned| planned.name.clone()).unwrap_or_default()
    }

    /// The calls that were held back, for another decision.
    pub(crate) fn take_held(&mut self) -> Vec<CallId> {
        std::mem::take(&mut self.held)
    }

    /// What the machine hears of a tool that has come back.
    pub(crate) fn tool_finished(&mut self, joined: Result<FinishedTool, JoinError>) -> Option<Input> {
        match joined {
            Ok(FinishedTool { call, outcome }) => {
                let status = outcome.status;
                self.results.insert(call, outcome);
                Some(Input::CallDone { call, status })
            }
            // `run` catches what a tool does wrong; only an aborted task comes here, and its call is settled elsewhere.
            Err(_) => None,
        }
    }

    /// Ends the tools that run, and waits until they are gone.
    pub(crate) async fn end_tools(&mut self) {
        self.tools_stop.cancel();
        self.tools.shutdown().await;
        self.tools_stop = CancellationToken::new();
    }
}

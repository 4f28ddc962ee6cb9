//! Calls that give work to another agent: the errand is prepared here and stored with the next commit, from which moment the
//! call waits.

use crate::{
    calls::call_table::CallTable,
    claim::{
        planned_call::{CallOutcome, PlannedCall},
        turn_context::TurnView,
    },
    errands::{
        errand_refusal::ErrandRefusal,
        prepared_errand::{AnnouncedErrand, Giver, PreparedErrand},
    },
};
use capability::{Errand, Helper, Resolved, Settings, ToolError};
use domain::{Agent, CallId, ResultStatus, RuleId, Session, SessionKind};
use std::collections::HashSet;
use turn::Input;

/// Does a call of this tool wait for another agent?
pub(super) fn gives_errand(resolved: &Resolved, call: &PlannedCall) -> bool {
    errand_of(resolved, call, &Settings::new()).is_some()
}

fn errand_of(
    resolved: &Resolved,
    call: &PlannedCall,
    settings: &Settings,
) -> Option<Result<Errand, ToolError>> {
    resolved.tool(&call.name)?.tool.errand(settings, &call.arguments)
}

impl CallTable {
    /// Makes an errand ready to be stored with the next step, or says why it cannot be given.
    pub(super) async fn give_errand(
        &mut self,
        at: &TurnView<'_>,
        planned: &PlannedCall,
        settings: &Settings,
        spends: Vec<RuleId>,
    ) -> Result<(), String> {
        let call = planned.id;
        let resolved = &at.turn.resolved;
        let errand = errand_of(resolved, planned, settings).ok_or("the tool is no longer there")?;
        let errand = errand.map_err(|error| error.message_for_model().to_owned())?;
        let giver = Giver::new(at, call);
        let permit = giver.reach(self.errands.len() as u64, true).await?;
        let place = match errand.to {
            Helper::Subagent(new) => giver.subagent(resolved, new)?,
            Helper::Again(session) => giver.again(session).await?,
            Helper::Colleague(colleague) => {
                let agent = giver.colleague(&colleague).await?;
                match self.beginning_with(&agent) {
                    Some(session) => (session, agent, false),
                    None => giver.conversation(&agent).await?,
                }
            }
        };
        let mut prepared = giver.prepare(place, errand.task, permit, Some(errand.seconds)).await?;
        prepared.spends = spends;
        self.errands.insert(call, prepared);
        self.errand_calls.insert(call);
        Ok(())
    }

    /// A conversation with this agent that another call of the same message is about to begin.
    fn beginning_with(&self, agent: &Agent) -> Option<Session> {
        let sessions = self.errands.values().map(|errand| &errand.input.session);
        let mut same = sessions.filter(|one| one.kind == SessionKind::Colleague && one.agent_id == agent.id);
        same.next().cloned()
    }

    /// The transaction that would have stored the errand of this call has refused it. What the machine hears instead.
    pub(crate) fn refuse_errand(&mut self, call: CallId, refusal: &ErrandRefusal) -> Input {
        tracing::info!(%call, %refusal, "an errand was not given; its call fails and the reply goes on");
        self.errands.remove(&call);
        self.errand_calls.remove(&call);
        let status = match refusal {
            ErrandRefusal::Spent => ResultStatus::Denied,
            _ => ResultStatus::Error,
        };
        self.settle_without_run(call, CallOutcome::error(status, refusal.words()))
    }

    pub(crate) fn waits_for_agent(&self, call: CallId) -> bool {
        self.errand_calls.contains(&call)
    }

    /// These errands are stored.
    pub(crate) fn errands_stored(&mut self, stored: &[(PreparedErrand, AnnouncedErrand)]) {
        let calls: HashSet<CallId> = stored.iter().map(|(errand, _)| errand.row.parent_call).collect();
        self.errands.retain(|call, _| !calls.contains(call));
    }
}

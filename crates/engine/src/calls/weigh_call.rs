//! Lets the gate decide about a call, and does what it says: run it, ask a person, refuse it.

use crate::{
    calls::{call_table::CallTable, give_errand::gives_errand, system_functions::Function},
    claim::{
        decision_audit,
        planned_call::{CallOutcome, PersonRequest, PlannedCall},
        turn_context::{Inputs, TurnContext, TurnLost, TurnView},
    },
    faults::guards_off,
    permission::{
        approval_request::RequestedApproval,
        circumstances::DecisionFacts,
        reach,
        rights_chain::{self, RightsLink},
    },
    ports::schedules::NOT_LATER,
    store_retry::Patience,
    telemetry,
};
use capability::{Resolved, Settings, Terms};
use domain::{
    Approval, ApprovalStatus, ArgumentKind, CallId, Label, Origin, ResultStatus, RuleId, SessionId, Sink,
};
use gate::{Circumstances, Party, Scopes, Site, ToolFacts, Verdict, Wanted, Why};
use prompt::input_label;
use serde_json::Value;
use std::{sync::Arc, time::Instant};
use turn::{Decision, Effect, Input, Settlement};

/// For a person whose yes was to something else than what the call would do by now.
const CHANGED: &str =
    "You have approved this, but what it can reach or send out has changed since. Read the request again.";

/// By whose permission a call runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permit {
    /// Rules that it uses up.
    pub(super) spends: Vec<RuleId>,
    /// `true`: a person was asked, and said yes.
    pub(super) approved: bool,
    /// The settings that all agents permit by whose rights it runs; none where there are none.
    pub(super) settings: Option<Arc<Settings>>,
    /// Of everything that it was decided upon: what the model was told, and what the call will have before it.
    pub(super) label: Option<Label>,
}

impl CallTable {
    /// Lets the gate decide, and does what it says.
    pub(super) async fn weigh(&mut self, at: &mut TurnView<'_>, planned: &PlannedCall) -> Inputs {
        let facts = read_facts(at.turn, planned).await?;
        let answer = self.approvals.get(&planned.id).cloned();
        let verdict = self.verdict(at, planned, &facts, answer.as_ref());
        at.owner.unshared |= rights_chain::own(&facts.links).is_some_and(|own| own.unshared);
        if !matches!(verdict, Verdict::Deny(_)) {
            self.note(at, planned, &verdict, answer.as_ref());
        }
        Ok(vec![self.carry_out(at, planned, &facts, verdict).await])
    }

    async fn carry_out(
        &mut self,
        at: &TurnView<'_>,
        planned: &PlannedCall,
        facts: &DecisionFacts,
        verdict: Verdict,
    ) -> Input {
        let call = planned.id;
        let settings = rights_chain::settings(&facts.links, &planned.name);
        let decision = match verdict {
            Verdict::Run { spends } if gives_errand(&at.turn.resolved, planned) => {
                let settings = settings.unwrap_or_default();
                if let Err(problem) = self.give_errand(at, planned, &settings, spends).await {
                    return self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem));
                }
                Decision::Wait
            }
            Verdict::Run { spends } => {
                let approved = self.approvals.contains_key(&call);
                let label = Some(weighed(at, facts));
                self.permits.insert(call, Permit { spends, approved, settings, label });
                Decision::Run
            }
            Verdict::Ask { why, scopes } => {
                let asked = self.request(at, planned, facts, &why, scopes);
                self.asked_people.insert(call, asked);
                Decision::Wait
            }
            Verdict::Refuse(problem) => {
                return self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem));
            }
            Verdict::Deny(why) => {
                let words = match &why {
                    Why::NotGranted => unknown_tool(&at.turn.resolved, planned),
                    why => why.to_string(),
                };
                return self.deny(at, planned, &why, &words);
            }
        };
        Input::CallDecided { call, decision }
    }

    fn verdict(
        &self,
        at: &TurnView<'_>,
        planned: &PlannedCall,
        facts: &DecisionFacts,
        answer: Option<&Approval>,
    ) -> Verdict {
        let turn = at.turn;
        let tool = tool_facts(turn, planned, facts);
        let house = tool.is_some_and(|tool| tool.house);
        let party = |link: &RightsLink| link.party(turn.agent.id, &planned.name, &planned.arguments, house);
        let parties: Vec<Party> = facts.links.iter().map(party).collect();
        let sessions: Vec<SessionId> = facts.sessions().collect();
        let mut asked = facts.asked.clone();
        asked.extend(self.unstored(facts).into_iter().cloned());
        let checked = match (planned.problem, turn.resolved.tool(&planned.name)) {
            (Some(problem), _) => Err(problem.to_owned()),
            // Before a person is asked about what cannot be done after all.
            (None, Some(_)) if tool.is_some_and(|tool| tool.acts_later) && !turn.may_act_later() => {
                Err(NOT_LATER.to_owned())
            }
            (None, Some(tool)) => tool.check_arguments(&planned.arguments),
            (None, None) => Ok(()),
        };
        if guards_off::gate_is_off() && tool.is_some() && checked.is_ok() {
            return Verdict::Run { spends: Vec::new() };
        }
        let label = match guards_off::labels_are_off() {
            true => Label::TRUSTED_PUBLIC,
            false => weighed(at, facts),
        };
        let site = tool.and_then(|tool| self.site(at, planned, &tool));
        let resolved = turn.resolved.tool(&planned.name).map(AsRef::as_ref);
        let reaches = reach::of_call(&turn.engine, &facts.links, resolved, &planned.name, &planned.arguments);
        let answer = answer.filter(|answer| reach::is_as_shown(answer, reaches.as_deref()));
        gate::decide(&Circumstances {
            wanted: Wanted { call: planned.id, name: &planned.name, arguments: &planned.arguments },
            tool,
            checked,
            user: turn.session.user_id,
            parties: &parties,
            sessions: &sessions,
            rules: &facts.rules,
            label,
            site: site.as_ref(),
            attended: facts.may_ask_person(),
            answer,
            asked: &asked,
        })
    }

    /// Where a call goes, if that is all that it tells.
    fn site(&self, at: &TurnView<'_>, planned: &PlannedCall, tool: &ToolFacts) -> Option<Site> {
        if tool.sink != Sink::Site {
            return None;
        }
        let is_url = |(_, kind): &&(&str, ArgumentKind)| *kind == ArgumentKind::Url;
        let (name, _) = tool.kinds.iter().find(is_url)?;
        let address = planned.arguments.get(*name)?.as_str()?;
        let calls = at.record.state.calls.iter().take_while(|known| known.id != planned.id);
        let before = calls.filter_map(|known| self.calls.get(&known.id)).map(|call| &call.arguments);
        let known = at.record.provenance.known.names(address, before);
        Some(Site { host: gate::host(address)?, known })
    }

    /// What this step asks people and the database does not have yet. Of what is stored, only the store knows whether it still
    /// waits.
    fn unstored(&self, facts: &DecisionFacts) -> Vec<&Approval> {
        let stored = |asked: &&Approval| facts.asked.iter().any(|known| known.id == asked.id);
        let asked = self.asked_people.values().filter_map(PersonRequest::new_approval);
        asked.filter(|asked| !stored(asked)).collect()
    }

    /// What a person is asked.
    fn request(
        &self,
        at: &TurnView<'_>,
        planned: &PlannedCall,
        facts: &DecisionFacts,
        why: &[Why],
        scopes: Scopes,
    ) -> PersonRequest {
        let tool = at.turn.resolved.tool(&planned.name);
        let host = tool
            .and_then(|_| tool_facts(at.turn, planned, facts))
            .and_then(|tool| Some(self.site(at, planned, &tool)?.host));
        let request = at.turn.approval_request(at.record, planned, host);
        match request.make(facts, &self.unstored(facts), why, scopes) {
            RequestedApproval::New(mut approval) => {
                if self.was_approved(planned.id) {
                    approval.why.insert(0, CHANGED.to_owned());
                }
                PersonRequest::Approval(approval)
            }
            RequestedApproval::Shared(id) => PersonRequest::Shared(id),
        }
    }

    /// A person has said yes to this very call, and is asked about it once more.
    fn was_approved(&self, call: CallId) -> bool {
        let answer = self.approvals.get(&call).filter(|answer| answer.call_id == call);
        answer.is_some_and(|answer| answer.status == ApprovalStatus::Approved)
    }

    /// One entry per decision, written with the next commit.
    fn note(
        &mut self,
        at: &TurnView<'_>,
        planned: &PlannedCall,
        verdict: &Verdict,
        answer: Option<&Approval>,
    ) {
        self.audits.extend(decision_audit::entry(at.turn, at.record, planned, verdict, answer));
    }

    /// Calls that are too many for one message are refused without being weighed, and are written down like the others.
    pub(crate) fn note_surplus(&mut self, at: &TurnView<'_>, durable: &[Effect]) {
        for effect in durable {
            let Effect::SettleCall { call, settlement: Settlement::TooMany } = effect else { continue };
            let subject = call.to_string();
            let noted = self.audits.iter().any(|entry| entry.subject == subject);
            if let Some(planned) = self.calls.get(call).filter(|_| !noted).cloned() {
                self.note(at, &planned, &Verdict::Deny(Why::TooManyCalls), None);
            }
        }
    }

    /// The call does not run, and the model reads why.
    pub(super) fn deny(&mut self, at: &TurnView<'_>, planned: &PlannedCall, why: &Why, words: &str) -> Input {
        let call = planned.id;
        let answer = self.approvals.get(&call).cloned();
        self.note(at, planned, &Verdict::Deny(why.clone()), answer.as_ref());
        telemetry::tool_ended(&telemetry::tool_span(call, None), ResultStatus::Denied, Instant::now());
        let mut outcome = CallOutcome::error(ResultStatus::Denied, words);
        if let Why::Said(Some(reason)) = why {
            outcome.label = input_label::words(reason, false, false);
        }
        self.results.insert(call, outcome);
        Input::CallDecided { call, decision: Decision::Deny }
    }
}

/// Reads what the decision about a call depends on, until the database can.
async fn read_facts(turn: &TurnContext, planned: &PlannedCall) -> Result<DecisionFacts, TurnLost> {
    let TurnContext { engine, key, session, turn_id, source, .. } = turn;
    let (files, mut patience) = (holds_files(turn, planned), Patience::default());
    loop {
        match DecisionFacts::read(engine, key, session.user_id, (session.id, *turn_id, *source), files).await
        {
            Ok(facts) => return Ok(facts),
            Err(error) if patience.again_after(engine, &error).await => {}
            Err(error) => {
                tracing::warn!(%error, "the turn stops here and is taken up again");
                return Err(TurnLost);
            }
        }
    }
}

/// Of everything that a call could tell: what its maker was told, and what it will have before it.
fn weighed(at: &TurnView<'_>, facts: &DecisionFacts) -> Label {
    at.record.provenance.label.join(facts.held)
}

/// Will a call have the session's files before it? THREAT[label-07]: a program posts what no model has read.
fn holds_files(turn: &TurnContext, planned: &PlannedCall) -> bool {
    let tool = turn.resolved.tool(&planned.name);
    tool.is_some_and(|tool| tool.tool.ports().iter().any(|port| port.reads_files()))
}

/// What is known of the tool that a call names.
fn tool_facts(turn: &TurnContext, planned: &PlannedCall, facts: &DecisionFacts) -> Option<ToolFacts> {
    if planned.made.target.is_some() && Function::of(&planned.name).is_some() {
        return Some(ToolFacts::HOUSE);
    }
    turn.resolved.tool(&planned.name)?;
    let own = rights_chain::own(&facts.links)?;
    let kinds = own.tool(&planned.name)?.tool.argument_kinds();
    let Terms { sink, acts_later, .. } = own.terms(&planned.name, &planned.arguments)?;
    Some(ToolFacts { sink, kinds, house: false, acts_later })
}

fn unknown_tool(resolved: &Resolved, call: &PlannedCall) -> String {
    let mut known: Vec<_> = resolved.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    let name = &call.name;
    if let Some(only) = resolved.granted_actions(name) {
        let action = call.arguments.get("action").and_then(Value::as_str);
        if !action.is_some_and(|action| only.iter().any(|granted| granted == action)) {
            return format!("of {name}, this agent can only use these actions: {}", only.join(", "));
        }
    }
    if resolved.tool(name).is_some() {
        return format!("{name} is not allowed: the agent or person that you work for may not use it");
    }
    if call.origin != Origin::Native {
        known.extend(Function::ALL.map(Function::name));
        known.sort_unstable();
        return format!("Unknown function: {name}. Available: {}", known.join(", "));
    }
    if known.is_empty() {
        return format!("there is no tool {name:?}; this agent has no tools");
    }
    format!("there is no tool {name:?}; there are: {}", known.join(", "))
}

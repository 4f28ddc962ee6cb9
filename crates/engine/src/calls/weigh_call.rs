//! The gate's hands: what a decision depends on is read, and what was decided is done.

use crate::{
    calls::system_functions::Function,
    claim::planned_call::{CallOutcome, PersonRequest, PlannedCall},
    error::Result,
    faults::guards_off,
    permission::rights_chain::{self, Voice},
    prompt::input_label,
    store_retry::Patience,
    telemetry,
    worker::Worker,
};
use capability::{Port, Settings};
use domain::{
    Approval, ApprovalId, ApprovalStatus, ArgumentKind, CallId, Danger, Label, Origin, ResultStatus, Rule,
    RuleScope, SessionId, Sink, canonical_tool,
};
use gate::{
    Circumstances, Party, Scopes, Site, ToolFacts, Verdict, Wanted, Why, arguments, shown_arguments,
    virtual_tools::USE_MODEL,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};
use store::{Tx, audit::AuditEntry};
use turn::{Decision, Effect, Input, Settlement};

/// Requests that may wait for one person, over all their sessions.
pub(crate) const WAITING_FOR_ONE: u64 = 100;
/// As much of a tool's name as is written down.
const NAME_CHARS: usize = 64;

/// By what leave a call runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permit {
    /// Rules that it uses up.
    pub(crate) spends: Vec<domain::RuleId>,
    /// Somebody was asked, and said yes.
    pub(crate) approved: bool,
    /// What everybody by whose leave it runs permits; none where nobody sets anything.
    pub(crate) settings: Option<Arc<Settings>>,
    /// Of everything that it was decided upon: what the model was told, and what the call will have before it.
    pub(crate) label: Option<Label>,
}

/// What was read for a decision.
pub(crate) struct Read {
    pub(crate) rules: Vec<Rule>,
    pub(crate) asked: Vec<Approval>,
    waiting: u64,
    /// The agent's own first.
    voices: Vec<Voice>,
    /// Of the files that the call will have before it.
    held: Label,
}

impl Read {
    /// Is there somebody who could be asked?
    pub(crate) fn is_attended(&self) -> bool {
        self.waiting < WAITING_FOR_ONE
    }

    pub(crate) fn asked_by(&self, call: CallId) -> Option<&Approval> {
        self.asked.iter().find(|asked| asked.call_id == call)
    }

    /// The session itself first, then those it is part of.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.voices.iter().map(|voice| voice.session)
    }
}

impl Worker {
    /// Lets the gate decide, and does what it says.
    pub(crate) async fn weigh(&mut self, planned: &PlannedCall) {
        let mut patience = Patience::default();
        let read = loop {
            match self.read_circumstances(Some(planned)).await {
                Ok(read) => break read,
                Err(error) if patience.again_after(&self.engine, &error).await => {}
                Err(error) => {
                    tracing::warn!(%error, "the turn stops here and is taken up again");
                    self.lost = true;
                    return;
                }
            }
        };
        let call = planned.id;
        let label = self.weighed(&read);
        let answer = self.approvals.get(&call).cloned();
        let verdict = self.verdict(planned, &read, answer.as_ref());
        self.unshared |= read.voices.first().is_some_and(|own| own.unshared);
        let settings = rights_chain::settings(&read.voices, &planned.name);
        if !matches!(verdict, Verdict::Deny(_)) {
            self.note(planned, &verdict, answer.as_ref());
        }
        let decision = match verdict {
            Verdict::Run { spends } if self.gives_errand(planned) => {
                let settings = settings.unwrap_or_default();
                if let Err(problem) = self.give_errand(planned, &settings, spends).await {
                    return self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem));
                }
                Decision::Wait
            }
            Verdict::Run { spends } => {
                let approved = answer.is_some();
                self.permits.insert(call, Permit { spends, approved, settings, label: Some(label) });
                Decision::Run
            }
            Verdict::Ask { why, scopes } => {
                let asked = self.request(planned, &read, &why, scopes);
                self.asked_people.insert(call, asked);
                Decision::Wait
            }
            Verdict::Refuse(problem) => {
                self.settle_without_run(call, CallOutcome::error(ResultStatus::Error, &problem));
                return;
            }
            Verdict::Deny(why) => {
                let words = match &why {
                    Why::NotGranted => self.unknown_tool(planned),
                    why => why.to_string(),
                };
                return self.deny(planned, &why, &words);
            }
        };
        self.heard.push_back(Input::CallDecided { call, decision });
    }

    fn verdict(&self, planned: &PlannedCall, read: &Read, answer: Option<&Approval>) -> Verdict {
        let tool = self.facts(planned, read);
        let house = tool.is_some_and(|tool| tool.house);
        let party = |voice: &Voice| voice.party(self.agent.id, &planned.name, &planned.arguments, house);
        let parties: Vec<Party> = read.voices.iter().map(party).collect();
        let sessions: Vec<SessionId> = read.sessions().collect();
        let mut asked = read.asked.clone();
        asked.extend(self.unstored(read).cloned());
        let checked = match (planned.problem, self.resolved.tool(&planned.name)) {
            (Some(problem), _) => Err(problem.to_owned()),
            (None, Some(tool)) => tool.check_arguments(&planned.arguments),
            (None, None) => Ok(()),
        };
        if guards_off::gate_is_off() && tool.is_some() && checked.is_ok() {
            return Verdict::Run { spends: Vec::new() };
        }
        let label = match guards_off::labels_are_off() {
            true => Label::TRUSTED_PUBLIC,
            false => self.weighed(read),
        };
        let site = tool.and_then(|tool| self.site(planned, &tool));
        gate::decide(&Circumstances {
            wanted: Wanted { call: planned.id, name: &planned.name, arguments: &planned.arguments },
            tool,
            checked,
            user: self.session.user_id,
            parties: &parties,
            sessions: &sessions,
            rules: &read.rules,
            label,
            site: site.as_ref(),
            attended: read.is_attended(),
            answer,
            asked: &asked,
        })
    }

    /// Of everything that a call could tell: what its maker was told, and what it will have before it.
    fn weighed(&self, read: &Read) -> Label {
        self.record.provenance.label.join(read.held)
    }

    /// Where a call goes, if that is all that it tells.
    fn site(&self, planned: &PlannedCall, tool: &ToolFacts) -> Option<Site> {
        if tool.sink != Sink::Site {
            return None;
        }
        let is_url = |(_, kind): &&(&str, ArgumentKind)| *kind == ArgumentKind::Url;
        let (name, _) = tool.kinds.iter().find(is_url)?;
        let address = planned.arguments.get(*name)?.as_str()?;
        let calls = self.record.state.calls.iter().take_while(|known| known.id != planned.id);
        let before = calls.filter_map(|known| self.calls.get(&known.id)).map(|call| &call.arguments);
        let known = self.record.provenance.known.names(address, before);
        Some(Site { host: gate::host(address)?, known })
    }

    /// Will a call have the session's files before it? THREAT[label-07]: a program posts what no model has read.
    fn holds_files(&self, planned: &PlannedCall) -> bool {
        let tool = self.resolved.tool(&planned.name);
        let ports = tool.map_or(&[][..], |tool| tool.tool.ports());
        ports.iter().any(|port| matches!(port, Port::Files | Port::Processes))
    }

    /// What is known of the tool that a call names.
    fn facts(&self, planned: &PlannedCall, read: &Read) -> Option<ToolFacts> {
        if planned.made.target.is_some() && Function::of(&planned.name).is_some() {
            return Some(ToolFacts::HOUSE);
        }
        self.resolved.tool(&planned.name)?;
        let own = read.voices.first()?;
        let kinds = own.tool(&planned.name)?.tool.argument_kinds();
        let sink = own.terms(&planned.name, &planned.arguments)?.sink;
        Some(ToolFacts { sink, kinds, house: false })
    }

    /// For this call; none where it is not about one.
    pub(crate) async fn read_circumstances(&mut self, planned: Option<&PlannedCall>) -> Result<Read> {
        let (vault, key) = (self.engine.store().vault().clone(), self.key.clone());
        let (user, turn, own) = (self.session.user_id, self.turn_id, self.session.id);
        let now = self.engine.now();
        let files = planned.is_some_and(|planned| self.holds_files(planned));
        let read = async move |tx: &mut Tx| {
            let held = match files {
                true => store::session_files::worst(tx, own).await?,
                false => Label::TRUSTED_PUBLIC,
            };
            let standing = rights_chain::standing(tx, &vault, &key, user, own).await?;
            let sessions: Vec<SessionId> = standing.iter().map(|standing| standing.session).collect();
            let rules = store::rules::for_call(tx, &vault, user, &sessions, now).await?;
            let asked = store::approvals::of_turn(tx, &key, turn).await?;
            Ok((standing, rules, asked, store::approvals::count_open(tx, user).await?, held))
        };
        let (standing, rules, asked, waiting, held) = self.engine.store().read(read).await?;
        let voices = self.engine.voices(user, standing).await?;
        Ok(Read { rules, asked, waiting, voices, held })
    }

    /// What this step asks and nobody has heard of yet. Of what is stored, only the store knows whether it still waits.
    fn unstored<'a>(&'a self, read: &'a Read) -> impl Iterator<Item = &'a Approval> {
        let stored = |asked: &&Approval| read.asked.iter().any(|known| known.id == asked.id);
        self.asked_people.values().filter_map(PersonRequest::new_approval).filter(move |asked| !stored(asked))
    }

    /// What a person is asked; the request of an earlier call for the very same thing, if one waits.
    pub(crate) fn request(
        &self,
        planned: &PlannedCall,
        read: &Read,
        why: &[Why],
        scopes: Scopes,
    ) -> PersonRequest {
        let same = |asked: &&Approval| {
            asked.status == ApprovalStatus::Pending
                && asked.tool == canonical_tool(&planned.name)
                && arguments::same(&asked.arguments, &planned.arguments)
        };
        if let Some(shared) = read.asked.iter().chain(self.unstored(read)).find(same) {
            return PersonRequest::Shared(shared.id);
        }
        let tool = self.resolved.tool(&planned.name);
        let kinds = tool.map_or(&[][..], |tool| tool.tool.argument_kinds());
        let now = self.engine.now();
        let expiry = self.engine.inner.settings.approvals.expiry;
        let expiry = i64::try_from(expiry.as_millis()).unwrap_or(i64::MAX);
        PersonRequest::Approval(Box::new(Approval {
            id: ApprovalId::from_uuid(self.new_uuid()),
            session_id: self.session.id,
            turn_id: self.turn_id,
            call_id: planned.id,
            tool: canonical_tool(&planned.name).to_owned(),
            arguments: planned.arguments.clone(),
            shown: shown_arguments::arguments(kinds, &planned.arguments, !guards_off::shown_is_off()),
            danger: match tool {
                Some(tool) => tool.tool.danger(),
                None if planned.name == USE_MODEL.name => Danger::Moderate,
                None => Danger::Dangerous,
            },
            why: why.iter().map(|why| self.words_of(why, read.held)).collect(),
            digest: self.digest(planned),
            scopes: match scopes {
                Scopes::OnceOnly => vec![RuleScope::Once],
                Scopes::Session => vec![RuleScope::Once, RuleScope::Session],
                // A rule that holds for ever is about one agent, and whoever this one works for would be asked again.
                Scopes::Every if !rights_chain::is_one_agent(&read.voices) => {
                    vec![RuleScope::Once, RuleScope::Session]
                }
                Scopes::Every => vec![RuleScope::Once, RuleScope::Session, RuleScope::Always],
            },
            host: tool
                .and_then(|_| self.facts(planned, read))
                .and_then(|facts| Some(self.site(planned, &facts)?.host)),
            status: ApprovalStatus::Pending,
            reason: None,
            expires_at: now.plus_millis(expiry),
            created_at: now,
        }))
    }

    /// For the person who is asked: with what was private and what was untrusted, where that is the reason.
    fn words_of(&self, why: &Why, held: Label) -> String {
        let concern = || {
            let mut whole = self.record.provenance.clone();
            whole.add(held, || "the files of this conversation, which it would have before it".to_owned());
            whole.concern()
        };
        match why {
            Why::RuleOfTwo => concern().unwrap_or_else(|| why.to_string()),
            why => why.to_string(),
        }
    }

    fn digest(&self, planned: &PlannedCall) -> String {
        arguments::digest(&planned.name, self.agent.id, self.session.id, planned.id, &planned.arguments)
    }

    /// One entry per decision, written with the next thing that is stored of this turn: before the effect where there is
    /// one, with the result otherwise.
    pub(crate) fn note(&mut self, planned: &PlannedCall, verdict: &Verdict, answer: Option<&Approval>) {
        let (action, reasons) = match verdict {
            Verdict::Run { .. } => ("tool.allowed", Vec::new()),
            Verdict::Ask { why, .. } => ("tool.asked", why.iter().map(Why::word).collect()),
            Verdict::Deny(why) => ("tool.denied", vec![why.word()]),
            Verdict::Refuse(_) => ("tool.refused", vec!["malformed"]),
        };
        let detail = json!({
            "session_id": self.session.id,
            // A model writes names of any length; the log is kept for good.
            "tool": planned.name.chars().take(NAME_CHARS).collect::<String>(),
            "digest": self.digest(planned),
            "reason": reasons.first(),
            "reasons": reasons,
            "approval_id": answer.map(|answer| answer.id),
            "label": self.record.provenance.label,
        });
        if matches!(verdict, Verdict::Deny(_)) && guards_off::audit_is_off() {
            return;
        }
        self.audits.push(self.audit_entry(action, planned.id, detail));
    }

    /// Calls that are too many for one message are refused without being weighed, and are written down like the others.
    pub(crate) fn note_surplus(&mut self, durable: &[Effect]) {
        for effect in durable {
            let Effect::SettleCall { call, settlement: Settlement::TooMany } = effect else { continue };
            let subject = call.to_string();
            let noted = self.audits.iter().any(|entry| entry.subject == subject);
            if let Some(planned) = self.calls.get(call).filter(|_| !noted).cloned() {
                self.note(&planned, &Verdict::Deny(Why::TooManyCalls), None);
            }
        }
    }

    fn audit_entry(&self, action: &str, call: CallId, detail: Value) -> AuditEntry {
        AuditEntry {
            at: self.engine.now(),
            user_id: Some(self.session.user_id),
            actor: self.agent.id.to_string(),
            action: action.to_owned(),
            subject: call.to_string(),
            detail,
        }
    }

    /// The call does not run, and the model reads why.
    pub(crate) fn deny(&mut self, planned: &PlannedCall, why: &Why, words: &str) {
        let call = planned.id;
        let answer = self.approvals.get(&call).cloned();
        self.note(planned, &Verdict::Deny(why.clone()), answer.as_ref());
        telemetry::tool_ended(&telemetry::tool_span(call, None), ResultStatus::Denied, Instant::now());
        let mut outcome = CallOutcome::error(ResultStatus::Denied, words);
        if let Why::Said(Some(reason)) = why {
            outcome.label = input_label::words(reason, false, false);
        }
        self.results.insert(call, outcome);
        self.heard.push_back(Input::CallDecided { call, decision: Decision::Deny });
    }

    fn unknown_tool(&self, call: &PlannedCall) -> String {
        let mut known: Vec<_> = self.resolved.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
        let name = &call.name;
        if let Some(only) = self.resolved.granted_actions(name) {
            let action = call.arguments.get("action").and_then(Value::as_str);
            if !action.is_some_and(|action| only.iter().any(|granted| granted == action)) {
                return format!(
                    "of {name}, this agent may use these actions and no others: {}",
                    only.join(", ")
                );
            }
        }
        if self.resolved.tool(name).is_some() {
            return format!("{name} is not granted: whoever you work for may not use it, or not any more");
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

    /// Hears what people said to requests of this turn: the calls that waited are decided anew.
    pub(crate) async fn hear_approvals(&mut self, answers: Vec<(CallId, Approval)>) {
        for (call, approval) in answers {
            let waits =
                |known: &turn::CallState| known.id == call && known.progress == turn::Progress::Waiting;
            let decided =
                |input: &Input| matches!(input, Input::CallDecided { call: known, .. } if *known == call);
            if !self.record.state.calls.iter().any(waits) || self.heard.iter().any(decided) {
                continue;
            }
            self.approvals.insert(call, approval);
            self.decide(call).await;
        }
    }
}

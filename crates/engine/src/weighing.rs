//! The gate's hands: what a decision depends on is read, and what was decided is done.

use crate::{
    dispatch::{Outcome, Planned},
    error::Result,
    functions::Function,
    gate::{self, Circumstances, Party, Scopes, ToolFacts, Verdict, Wanted, arguments, shown, why::Why},
    guards, observe,
    people_calls::Asked,
    unpriced::USE_MODEL,
    worker::Worker,
};
use capability::{ResolvedTool, Settings};
use domain::{
    Agent, Approval, ApprovalId, ApprovalStatus, CallId, Danger, Label, Origin, Permission, ResultStatus,
    Rule, RuleScope, Session, SessionId, SessionKind, Sink, UserId, canonical_tool,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};
use store::{DataKey, Tx, Vault, audit::AuditEntry, sessions};
use turn::{Decision, Effect, Input, Settlement};

/// Requests that may wait for one person, over all their sessions.
const WAITING_FOR_ONE: u64 = 100;
/// Sessions above one another.
const GENERATIONS: usize = 16;
/// As much of a tool's name as is written down.
const NAME_CHARS: usize = 64;

/// By what leave a call runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permit {
    /// Rules that it uses up.
    pub(crate) spends: Vec<domain::RuleId>,
    /// Somebody was asked, and said yes.
    pub(crate) approved: bool,
}

/// What was read for a decision.
pub(crate) struct Read {
    pub(crate) rules: Vec<Rule>,
    pub(crate) asked: Vec<Approval>,
    waiting: u64,
    ancestors: Vec<Ancestor>,
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
    pub(crate) fn sessions(&self, own: SessionId) -> impl Iterator<Item = SessionId> {
        std::iter::once(own).chain(self.ancestors.iter().map(|above| above.session))
    }
}

/// A session that this one is part of, with its agent, if that is still there.
struct Ancestor {
    session: SessionId,
    agent: Option<Agent>,
}

impl Worker {
    /// Lets the gate decide, and does what it says.
    pub(crate) async fn weigh(&mut self, planned: &Planned) {
        let read = match self.read_circumstances().await {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(%error, "the turn stops here and is taken up again");
                self.lost = true;
                return;
            }
        };
        let call = planned.id;
        let answer = self.approvals.get(&call).cloned();
        let verdict = self.verdict(planned, &read, answer.as_ref());
        if !matches!(verdict, Verdict::Deny(_)) {
            self.note(planned, &verdict, answer.as_ref());
        }
        let decision = match verdict {
            Verdict::Run { spends } if self.gives_errand(planned) => {
                if let Err(problem) = self.give_errand(planned, spends).await {
                    return self.settle_without_run(call, Outcome::error(ResultStatus::Error, &problem));
                }
                Decision::Wait
            }
            Verdict::Run { spends } => {
                let approved = answer.is_some();
                self.permits.insert(call, Permit { spends, approved });
                Decision::Run
            }
            Verdict::Ask { why, scopes } => {
                let asked = self.request(planned, &read, &why, scopes);
                self.asked_people.insert(call, asked);
                Decision::Wait
            }
            Verdict::Refuse(problem) => {
                self.settle_without_run(call, Outcome::error(ResultStatus::Error, &problem));
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

    fn verdict(&self, planned: &Planned, read: &Read, answer: Option<&Approval>) -> Verdict {
        let mut parties = vec![Party {
            agent: self.agent.id,
            tools: self.resolved.clone(),
            words: self.agent.tool_rules.clone(),
        }];
        parties.extend(read.ancestors.iter().map(|above| self.party(above)));
        let sessions: Vec<SessionId> = read.sessions(self.session.id).collect();
        let mut asked = read.asked.clone();
        asked.extend(self.unstored(read).cloned());
        let tool = self.facts(planned);
        let checked = match (planned.problem, self.resolved.tool(&planned.name)) {
            (Some(problem), _) => Err(problem.to_owned()),
            (None, Some(tool)) => tool.check_arguments(&planned.arguments),
            (None, None) => Ok(()),
        };
        if guards::gate_is_off() && tool.is_some() && checked.is_ok() {
            return Verdict::Run { spends: Vec::new() };
        }
        let label = match guards::labels_are_off() {
            true => Label::TRUSTED_PUBLIC,
            false => self.record.provenance.label,
        };
        gate::decide(&Circumstances {
            wanted: Wanted { call: planned.id, name: &planned.name, arguments: &planned.arguments },
            tool,
            checked,
            user: self.session.user_id,
            parties: &parties,
            sessions: &sessions,
            rules: &read.rules,
            label,
            cost: None,
            attended: read.is_attended(),
            answer,
            asked: &asked,
        })
    }

    /// What is known of the tool that a call names.
    fn facts(&self, planned: &Planned) -> Option<ToolFacts> {
        if planned.made.target.is_some() && Function::of(&planned.name).is_some() {
            return Some(ToolFacts::HOUSE);
        }
        let tool = self.resolved.tool(&planned.name)?;
        Some(facts(tool, &self.resolved.settings(&tool.capability), &planned.arguments))
    }

    /// Whoever cannot be made out grants nothing.
    fn party(&self, above: &Ancestor) -> Party {
        let Some(agent) = &above.agent else {
            return Party { agent: self.agent.id, tools: Arc::default(), words: Vec::new() };
        };
        let tools = self.engine.registry().resolve(&agent.capabilities, &agent.allowed_tools);
        Party { agent: agent.id, tools: Arc::new(tools.unwrap_or_default()), words: agent.tool_rules.clone() }
    }

    pub(crate) async fn read_circumstances(&mut self) -> Result<Read> {
        let (vault, key) = (self.engine.store().vault().clone(), self.key.clone());
        let (user, turn, own) = (self.session.user_id, self.turn_id, self.session.id);
        let parent = above(&self.session);
        let orphan = is_orphan(&self.session);
        let now = self.engine.now();
        let read = async move |tx: &mut Tx| {
            let mut ancestors = ancestors(tx, &vault, &key, user, parent).await?;
            ancestors.extend(orphan.then_some(Ancestor { session: own, agent: None }));
            Ok(Read {
                rules: store::rules::for_call(tx, &vault, user, now).await?,
                asked: store::approvals::of_turn(tx, &key, turn).await?,
                waiting: store::approvals::count_open(tx, user).await?,
                ancestors,
            })
        };
        Ok(self.engine.store().read(read).await?)
    }

    /// What this step asks and nobody has heard of yet. Of what is stored, only the store knows whether it still waits.
    fn unstored<'a>(&'a self, read: &'a Read) -> impl Iterator<Item = &'a Approval> {
        let stored = |asked: &&Approval| read.asked.iter().any(|known| known.id == asked.id);
        self.asked_people.values().filter_map(Asked::new_approval).filter(move |asked| !stored(asked))
    }

    /// What a person is asked; the request of an earlier call for the very same thing, if one waits.
    pub(crate) fn request(&self, planned: &Planned, read: &Read, why: &[Why], scopes: Scopes) -> Asked {
        let same = |asked: &&Approval| {
            asked.status == ApprovalStatus::Pending
                && asked.tool == canonical_tool(&planned.name)
                && arguments::same(&asked.arguments, &planned.arguments)
        };
        if let Some(shared) = read.asked.iter().chain(self.unstored(read)).find(same) {
            return Asked::Shared(shared.id);
        }
        let tool = self.resolved.tool(&planned.name);
        let kinds = tool.map_or(&[][..], |tool| tool.tool.argument_kinds());
        let now = self.engine.now();
        let expiry = self.engine.inner.settings.approval_expiry;
        let expiry = i64::try_from(expiry.as_millis()).unwrap_or(i64::MAX);
        Asked::Approval(Box::new(Approval {
            id: ApprovalId::from_uuid(self.new_uuid()),
            session_id: self.session.id,
            turn_id: self.turn_id,
            call_id: planned.id,
            tool: canonical_tool(&planned.name).to_owned(),
            arguments: planned.arguments.clone(),
            shown: shown::arguments(kinds, &planned.arguments),
            danger: match tool {
                Some(tool) => tool.tool.danger(),
                None if planned.name == USE_MODEL => Danger::Moderate,
                None => Danger::Dangerous,
            },
            why: why.iter().map(|why| self.words_of(why)).collect(),
            digest: self.digest(planned),
            scopes: match scopes {
                Scopes::OnceOnly => vec![RuleScope::Once],
                Scopes::Every => vec![RuleScope::Once, RuleScope::Session, RuleScope::Always],
            },
            status: ApprovalStatus::Pending,
            reason: None,
            expires_at: now.plus_millis(expiry),
            created_at: now,
        }))
    }

    /// For the person who is asked: with what was private and what was untrusted, where that is the reason.
    fn words_of(&self, why: &Why) -> String {
        match why {
            Why::RuleOfTwo => self.record.provenance.concern().unwrap_or_else(|| why.to_string()),
            why => why.to_string(),
        }
    }

    fn digest(&self, planned: &Planned) -> String {
        arguments::digest(&planned.name, self.agent.id, self.session.id, planned.id, &planned.arguments)
    }

    /// One entry per decision, written with the next thing that is stored of this turn: before the effect where there is
    /// one, with the result otherwise.
    pub(crate) fn note(&mut self, planned: &Planned, verdict: &Verdict, answer: Option<&Approval>) {
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
        if matches!(verdict, Verdict::Deny(_)) && guards::audit_is_off() {
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
    pub(crate) fn deny(&mut self, planned: &Planned, why: &Why, words: &str) {
        let call = planned.id;
        let answer = self.approvals.get(&call).cloned();
        self.note(planned, &Verdict::Deny(why.clone()), answer.as_ref());
        observe::tool_ended(&observe::tool_span(call, None), ResultStatus::Denied, Instant::now());
        self.results.insert(call, Outcome::error(ResultStatus::Denied, words));
        self.heard.push_back(Input::CallDecided { call, decision: Decision::Deny });
    }

    fn unknown_tool(&self, call: &Planned) -> String {
        let mut known: Vec<_> = self.resolved.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
        let name = &call.name;
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

/// For whom a session's agent works. A fork is a person's own, and no part of what it was copied from.
fn above(session: &Session) -> Option<SessionId> {
    session.parent_id.filter(|_| session.kind != SessionKind::Own)
}

/// Somebody's agent worked in it for another session, which is gone: by whose leave it would act nobody can say any more.
/// THREAT[agent-05]: what was narrow is wide when who made it so is deleted.
fn is_orphan(session: &Session) -> bool {
    session.kind != SessionKind::Own && session.parent_id.is_none()
}

/// The nearest first.
async fn ancestors(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    user: UserId,
    parent: Option<SessionId>,
) -> store::Result<Vec<Ancestor>> {
    let (mut found, mut next) = (Vec::<Ancestor>::new(), parent);
    while let Some(session) = next.filter(|_| found.len() < GENERATIONS) {
        let staffed = sessions::with_agent(tx, vault, key, user, session).await?;
        next = staffed.as_ref().and_then(|staffed| above(&staffed.session));
        let whole = staffed.filter(|staffed| !is_orphan(&staffed.session));
        found.push(Ancestor { session, agent: whole.map(|staffed| staffed.agent) });
    }
    // Further up than anybody looks: nobody can say what they would permit.
    found.extend(next.map(|session| Ancestor { session, agent: None }));
    Ok(found)
}

fn facts(tool: &ResolvedTool, settings: &Settings, arguments: &Value) -> ToolFacts {
    let terms = tool.tool.terms(settings, arguments);
    ToolFacts {
        permission: terms.permission,
        sink: terms.sink,
        kinds: tool.tool.argument_kinds(),
        house: false,
    }
}

impl ToolFacts {
    /// What the house itself does for every agent.
    const HOUSE: Self = Self { permission: Permission::Allow, sink: Sink::Nowhere, kinds: &[], house: true };
}

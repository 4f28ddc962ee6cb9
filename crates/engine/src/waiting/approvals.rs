//! Approvals: what waits for a yes, and what an answer sets going.

use crate::{
    claim::wake_turn::{ParkedTurnWaker, WokenTurn, working},
    engine::Engine,
    error::{Error, Result},
    faults::guards_off,
    reply::approval_workplace,
    waiting::{expiry::SettledCount, settle_refusal::SettleRefusal},
};
use domain::{
    AgentId, AgentState, AnsweredBy, Approval, ApprovalDecision, ApprovalId, ApprovalStatus, Event,
    EventBody, Permission, Rule, RuleArguments, RuleId, RuleScope, Scope, Subject, Timestamp, UserId,
};
use gate::virtual_tools::USE_MODEL;
use people::Principal;
use serde_json::json;
use store::{
    DataKey, Page, Paged, Tx, approvals as rows,
    audit::{self, Action, AuditEntry},
    log::{self, Entry},
    sessions::{self, Numbers},
};

/// The longest reason, in bytes.
const REASON_BYTES: usize = 4 << 10;

/// What a person says to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAnswer {
    pub decision: ApprovalDecision,
    pub scope: RuleScope,
    /// Of what they were shown.
    pub digest: String,
    pub reason: Option<String>,
}

impl Engine {
    /// What waits for a yes of this person, the oldest first.
    pub async fn approvals(&self, user: UserId, page: Page) -> Result<Paged<Approval>> {
        let key = self.store().data_key(user).await?;
        let mut found = self.store().read(move |tx| rows::open(tx, &key, user, &page)).await?;
        let shown = |approval| approval_workplace::shown(self.registry(), approval);
        found.items = found.items.into_iter().map(shown).collect();
        Ok(found)
    }

    pub async fn approval(&self, user: UserId, id: ApprovalId) -> Result<Approval> {
        let key = self.store().data_key(user).await?;
        let found = self.store().read(move |tx| rows::get(tx, &key, user, id)).await?;
        let found = found.ok_or(Error::NotFound("approval"))?;
        Ok(approval_workplace::shown(self.registry(), found))
    }

    /// Says yes or no, once; the turn goes on. Returns the approval as it is then.
    pub async fn answer_approval(
        &self,
        who: &Principal,
        id: ApprovalId,
        answer: ApprovalAnswer,
    ) -> Result<Approval> {
        let user = who.user_id;
        let approval = self.approval(user, id).await?;
        check_answer(who, &approval, &answer, self.now())?;
        let status = match answer.decision {
            ApprovalDecision::Approve => ApprovalStatus::Approved,
            ApprovalDecision::Deny => ApprovalStatus::Denied,
        };
        let said = ApprovalVerdict {
            status,
            by: AnsweredBy::User,
            scope: (status == ApprovalStatus::Approved).then_some(answer.scope),
            reason: answer.reason.filter(|reason| !reason.trim().is_empty()),
            actor: who.actor(),
        };
        let engine = self.clone();
        let work = async move { engine.settle_approval(user, approval, said).await };
        let first = self.undisturbed(work).await?;
        let now = self.approval(user, id).await?;
        if first { Ok(now) } else { Err(settled(now.status)) }
    }

    /// Settles every approval whose time is over. Says how many.
    pub async fn expire_approvals(&self) -> Result<usize> {
        let now = self.now();
        let due = self.store().read(move |tx| rows::due(tx, now)).await?;
        let mut tally = SettledCount::default();
        for (id, user) in due {
            tally.add(self.expire_approval(id, user).await);
        }
        tally.told()
    }

    async fn expire_approval(&self, id: ApprovalId, user: UserId) -> Result<bool> {
        let approval = self.approval(user, id).await?;
        let said = ApprovalVerdict {
            status: ApprovalStatus::Expired,
            by: AnsweredBy::Timeout,
            scope: None,
            reason: None,
            actor: "clock".to_owned(),
        };
        self.settle_approval(user, approval, said).await
    }

    /// Stores what was said and lets the turn go on if nothing else holds it; false when it waits no longer.
    async fn settle_approval(&self, user: UserId, approval: Approval, said: ApprovalVerdict) -> Result<bool> {
        self.check_open()?;
        let key = self.store().data_key(user).await?;
        let (session_id, turn_id) = (approval.session_id, approval.turn_id);
        let settle = SettleApproval { engine: self.clone(), key, user, approval, said, now: self.now() };
        let _claiming = self.claiming(session_id);
        fail::fail_point!("approval_before_commit");
        let written = self.store().attempt(move |tx: &mut Tx| settle.write(tx)).await;
        fail::fail_point!("approval_after_commit");
        self.continue_turn(written, user, session_id, turn_id)
    }
}

/// How an approval request is answered, and by whom.
struct ApprovalVerdict {
    status: ApprovalStatus,
    by: AnsweredBy,
    scope: Option<RuleScope>,
    reason: Option<String>,
    actor: String,
}

struct SettleApproval {
    engine: Engine,
    key: DataKey,
    user: UserId,
    approval: Approval,
    said: ApprovalVerdict,
    now: Timestamp,
}

impl SettleApproval {
    /// The session first, as everybody who writes to one.
    fn write(self, tx: &mut Tx) -> Result<(Vec<Event>, WokenTurn), SettleRefusal> {
        let session = self.approval.session_id;
        let numbers = sessions::take_seq(tx, self.user, session, 1, self.now)?;
        let mut events = self.append(tx, numbers, self.event())?;
        let (id, status, reason) = (self.approval.id, self.said.status, self.said.reason.as_deref());
        if !rows::settle(tx, &self.key, id, status, reason, self.now)? {
            return Err(SettleRefusal::Settled);
        }
        if self.said.scope == Some(RuleScope::Session) {
            events.extend(self.settle_alike(tx)?);
        }
        let waker =
            ParkedTurnWaker { engine: &self.engine, key: &self.key, session_id: session, now: self.now };
        let woken = waker.wake(tx, self.user, self.approval.turn_id)?;
        if woken.claimed().is_some() {
            let numbers = working(tx, self.user, session, self.now)?;
            let state = AgentState::Working;
            events.extend(self.append(tx, numbers, EventBody::AgentStatus { state })?);
        }
        let vault = self.engine.store().vault();
        if self.said.scope.is_some_and(|scope| scope != RuleScope::Once) {
            let agent = sessions::agent_of(tx, session)?;
            if let Some(rule) = self.rule(agent) {
                store::rules::make_room(tx, session, crate::permission::rules::MOST_IN_SESSION)?;
                store::rules::insert(tx, vault, &rule)?;
            }
        }
        let actor = (self.user, self.said.actor.clone());
        let entry = answer_audit(&self.approval, self.said.status, self.said.scope, actor, self.now);
        audit::append(tx, vault, entry)?;
        Ok((events, woken))
    }

    /// Settles the other requests of the turn that this yes means as well: the rule that it becomes would have let them
    /// through, had they come later.
    fn settle_alike(&self, tx: &mut Tx) -> store::Result<Vec<Event>> {
        let (session, vault) = (self.approval.session_id, self.engine.store().vault());
        let mut events = Vec::new();
        let rules = store::rules::for_call(tx, vault, self.user, &[session], self.now)?;
        let is_stricter =
            |rule: &Rule| rule.subject == Subject::Session(session) && rule.action > Permission::Allow;
        // What was said about this conversation in more detail may count before the rule.
        if rules.iter().any(is_stricter) {
            return Ok(events);
        }
        for other in rows::of_turn(tx, &self.key, self.approval.turn_id)? {
            let status = ApprovalStatus::Approved;
            if !self.means(&other) || !rows::settle(tx, &self.key, other.id, status, None, self.now)? {
                continue;
            }
            let numbers = sessions::take_seq(tx, self.user, session, 1, self.now)?;
            let body = result_event(other.id, status, self.said.by, self.said.scope, &None);
            events.extend(self.append(tx, numbers, body)?);
            let actor = (self.user, self.said.actor.clone());
            let entry = answer_audit(&other, status, self.said.scope, actor, self.now);
            audit::append(tx, vault, entry)?;
        }
        Ok(events)
    }

    /// A yes to this request, for the conversation, would become the same rule. One to a model is for that model.
    fn means(&self, other: &Approval) -> bool {
        other.status == ApprovalStatus::Pending
            && (&other.tool, &other.host) == (&self.approval.tool, &self.approval.host)
            && other.scopes.contains(&RuleScope::Session)
            && other.tool != USE_MODEL.name
    }

    fn event(&self) -> EventBody {
        result_event(self.approval.id, self.said.status, self.said.by, self.said.scope, &self.said.reason)
    }

    /// What a yes that holds for longer becomes: in this session whatever the arguments are, or this host where nothing but
    /// an address is told; for ever, these arguments alone. A model without a price is meant alone in either case.
    fn rule(&self, agent: Option<AgentId>) -> Option<Rule> {
        let exact = RuleArguments::Exact(self.approval.arguments.clone());
        let (subject, scope, arguments) = match self.said.scope? {
            RuleScope::Once => return None,
            RuleScope::Session => {
                let host = self.approval.host.clone().map(RuleArguments::Host);
                let arguments = host.or((self.approval.tool == USE_MODEL.name).then_some(exact));
                (Subject::Session(self.approval.session_id), RuleScope::Session, arguments)
            }
            RuleScope::Always => (Subject::Agent(agent?), RuleScope::Always, Some(exact)),
        };
        Some(Rule {
            id: RuleId::from_uuid(self.engine.inner.ids.uuid()),
            user_id: Some(self.user),
            subject,
            tool: self.approval.tool.clone(),
            action: Permission::Allow,
            scope,
            arguments,
            expires_at: None,
            created_at: self.now,
        })
    }

    fn append(&self, tx: &mut Tx, numbers: Numbers, body: EventBody) -> store::Result<Vec<Event>> {
        let entries = vec![Entry::Event { turn_id: Some(self.approval.turn_id), body }];
        log::append(tx, &self.key, numbers, self.now, entries)
    }
}

/// What the log keeps of an answer: by whom it was given, and to what.
pub(crate) fn answer_audit(
    approval: &Approval,
    status: ApprovalStatus,
    scope: Option<RuleScope>,
    (user, actor): (UserId, String),
    at: Timestamp,
) -> AuditEntry {
    let detail = json!({
        "session_id": approval.session_id,
        "call_id": approval.call_id,
        "tool": approval.tool,
        "digest": approval.digest,
        "scope": scope,
    });
    AuditEntry::new(at, actor, Some(user), Action::Approval(status), approval.id, detail)
}

pub(crate) fn result_event(
    approval_id: ApprovalId,
    decision: ApprovalStatus,
    by: AnsweredBy,
    scope: Option<RuleScope>,
    reason: &Option<String>,
) -> EventBody {
    EventBody::ApprovalResult { approval_id, decision, by, scope, reason: reason.clone() }
}

fn check_answer(who: &Principal, approval: &Approval, answer: &ApprovalAnswer, now: Timestamp) -> Result<()> {
    if approval.status != ApprovalStatus::Pending {
        return Err(settled(approval.status));
    }
    // THREAT[gate-14] Whoever approves has seen this request and no other.
    if answer.digest != approval.digest && !guards_off::digest_is_off() {
        let detail = "The approval has changed, so the digest does not match. Read it again, then answer.";
        return Err(Error::conflict("digest_mismatch", detail));
    }
    check_reason(answer.reason.as_deref().unwrap_or_default())?;
    if answer.decision == ApprovalDecision::Deny {
        return Ok(());
    }
    if approval.expires_at <= now {
        return Err(settled(ApprovalStatus::Expired));
    }
    if !approval.scopes.contains(&answer.scope) {
        let detail =
            "This tool needs your approval every time, so you can only approve it once (scope: once).";
        return Err(Error::invalid("scope_not_offered", detail));
    }
    if answer.scope == RuleScope::Always {
        if who.scope() == Some(Scope::Full) {
            let detail = "API keys can approve once or for one conversation. To approve always, sign in.";
            return Err(Error::forbidden("scope_insufficient", detail));
        }
        who.check_confirmed(now)?;
    }
    Ok(())
}

pub(crate) fn check_reason(reason: &str) -> Result<()> {
    if reason.len() > REASON_BYTES {
        return Err(Error::TooLarge("The reason is too long. The limit is 4 KB.".to_owned()));
    }
    Ok(())
}

pub(crate) fn settled(status: ApprovalStatus) -> Error {
    let detail = match status {
        ApprovalStatus::Approved => "This was already approved.",
        ApprovalStatus::Expired => {
            "This was not answered in time, so it was denied. The agent may ask again."
        }
        ApprovalStatus::Denied | ApprovalStatus::Pending => {
            "This was already denied, or its reply has ended."
        }
    };
    Error::conflict("approval_settled", detail)
}

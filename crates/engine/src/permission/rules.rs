//! The rules of the gate, as people make and unmake them.

use crate::{
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use domain::{Permission, Rule, RuleArguments, RuleId, RuleScope, Subject, Timestamp};
use people::Principal;
use serde_json::json;
use store::{
    Page, Paged, Tx,
    audit::{self, Action, AuditEntry},
    idempotency::{KeyUse, Keyed},
    rules as rows, users,
};

/// Rules of one person, or of the house.
const MOST: u64 = 1_000;
/// Rules for one session.
pub(crate) const MOST_IN_SESSION: u64 = 200;

/// A rule as a person wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRule {
    pub subject: Subject,
    pub tool: String,
    pub action: Permission,
    pub scope: RuleScope,
    pub arguments: Option<RuleArguments>,
    pub expires_at: Option<Timestamp>,
    /// For all people of the server, not for the maker's own sessions alone. Admins only.
    pub house: bool,
}

/// Why a rule was not stored.
#[derive(Debug, thiserror::Error)]
enum RuleRefusal {
    #[error("there are too many rules")]
    TooMany,
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Engine {
    /// Their own rules and those of the house, the oldest first.
    pub async fn rules(&self, who: &Principal, page: Page) -> Result<Paged<Rule>> {
        let (store, user) = (self.store().clone(), who.user_id);
        let read = move |tx: &mut Tx| rows::list(tx, store.vault(), user, &page);
        Ok(self.store().read(read).await?)
    }

    pub async fn create_rule(&self, who: &Principal, new: NewRule) -> Result<Rule> {
        self.create_rule_once(who, new, None).await
    }

    /// A repeated key finds the rule that the first one made.
    pub async fn create_rule_once(
        &self,
        who: &Principal,
        new: NewRule,
        idempotency_key: Option<String>,
    ) -> Result<Rule> {
        let id = RuleId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(who.user_id, "rule", idempotency_key, format!("{new:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.rule(before).await;
        }
        self.check_rule(&new)?;
        let house = self.check_subject(who, &new).await?;
        let rule = Rule {
            id,
            user_id: (!house).then_some(who.user_id),
            subject: new.subject,
            tool: new.tool,
            action: new.action,
            scope: new.scope,
            arguments: new.arguments,
            expires_at: new.expires_at,
            created_at: self.now(),
        };
        if rule.action == Permission::Allow || self.outdoes_stricter(who, &rule).await? {
            self.check_widening(who)?;
        }
        let noted = self.write_rule(who, &rule, keyed).await?;
        match idempotency_key::made(noted)? {
            Some(before) => self.rule(before).await,
            None => Ok(rule),
        }
    }

    /// Stores a rule and its entry in the audit log, unless its key was used before or there are too many.
    async fn write_rule(&self, who: &Principal, rule: &Rule, keyed: Option<Keyed>) -> Result<KeyUse> {
        let entry = self.rule_entry(who, Action::RuleCreated, rule);
        let (store, saved) = (self.store().clone(), rule.clone());
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, store.vault(), keyed.as_ref())?;
            if noted != KeyUse::First {
                return Ok(noted);
            }
            // Locked before they are counted: of two rules at once, here or at two nodes, the second counts the first.
            match saved.user_id {
                Some(user) => users::hold(tx, user)?,
                None => users::hold_house(tx)?,
            }
            let full = match saved.subject {
                Subject::Session(session) => rows::count_in(tx, session)? >= MOST_IN_SESSION,
                _ => rows::count(tx, saved.user_id)? >= MOST,
            };
            if full {
                return Err(RuleRefusal::TooMany);
            }
            rows::insert(tx, store.vault(), &saved)?;
            audit::append(tx, store.vault(), entry)?;
            Ok(noted)
        };
        self.store().attempt(write).await.map_err(|refusal| match refusal {
            RuleRefusal::TooMany => too_many(&rule.subject),
            RuleRefusal::Store(error) => error.into(),
        })
    }

    async fn rule(&self, id: RuleId) -> Result<Rule> {
        let store = self.store().clone();
        let read = move |tx: &mut Tx| rows::get(tx, store.vault(), id);
        self.store().read(read).await?.ok_or(Error::NotFound("rule"))
    }

    /// Takes a rule back: one's own, or as an admin one of the house.
    pub async fn delete_rule(&self, who: &Principal, id: RuleId) -> Result<()> {
        let rule = self.rule(id).await?;
        match rule.user_id {
            Some(owner) if owner != who.user_id => return Err(Error::NotFound("rule")),
            None if !who.role.is_admin() => {
                let detail = "This rule applies to everyone. Only an admin can delete it.";
                return Err(Error::forbidden("role_insufficient", detail));
            }
            _ => {}
        }
        // What is no longer forbidden or asked about may run.
        if rule.action != Permission::Allow {
            self.check_widening(who)?;
        }
        let entry = self.rule_entry(who, Action::RuleDeleted, &rule);
        let store = self.store().clone();
        let write = move |tx: &mut Tx| {
            let there = rows::delete(tx, id)?;
            if there {
                audit::append(tx, store.vault(), entry)?;
            }
            Ok(there)
        };
        match self.store().write(write).await? {
            true => Ok(()),
            false => Err(Error::NotFound("rule")),
        }
    }

    /// Does it count instead of a stricter one of the same origin, because it is more specific?
    async fn outdoes_stricter(&self, who: &Principal, new: &Rule) -> Result<bool> {
        let (store, user, now) = (self.store().clone(), who.user_id, self.now());
        // A rule for one session is more specific than every other; none of another session's is touched by it.
        let own = match new.subject {
            Subject::Session(session) => vec![session],
            _ => Vec::new(),
        };
        let read = move |tx: &mut Tx| rows::for_call(tx, store.vault(), user, &own, now);
        let rules = self.store().read(read).await?;
        Ok(rules.iter().any(|rule| rule.user_id == new.user_id && gate::rules::outdoes(new, rule)))
    }

    /// Is it a rule of the house? Another person's session or agent is not found.
    async fn check_subject(&self, who: &Principal, new: &NewRule) -> Result<bool> {
        let house = match new.subject {
            Subject::Everybody => true,
            Subject::User(user) => new.house || user != who.user_id,
            Subject::Agent(_) => new.house,
            Subject::Session(_) if new.house => {
                return Err(Error::invalid(
                    "bad_rule",
                    "Only the person a conversation belongs to can make a rule for it.",
                ));
            }
            Subject::Session(_) => false,
        };
        if house && !who.role.is_admin() {
            let detail = "Only admins can make rules for other people. For yourself, use your own user id as the subject.";
            return Err(Error::forbidden("role_insufficient", detail));
        }
        match new.subject {
            Subject::Everybody => {}
            Subject::User(user) => drop(self.people().user(user).await?),
            Subject::Agent(agent) => drop(self.agent(who.user_id, agent).await?),
            Subject::Session(session) => drop(self.session(who.user_id, session).await?),
        }
        Ok(house)
    }

    fn check_rule(&self, new: &NewRule) -> Result<()> {
        let bad = |detail: &str| Err(Error::invalid("bad_rule", detail.to_owned()));
        if new.scope == RuleScope::Session && !matches!(new.subject, Subject::Session(_)) {
            return bad("A rule for one conversation (scope session) needs a conversation as its subject.");
        }
        if new.scope == RuleScope::Once && new.action != Permission::Allow {
            return bad("A rule that holds once (scope once) can only allow.");
        }
        if new.expires_at.is_some_and(|at| at <= self.now()) {
            return bad("expires_at is in the past. Choose a later date.");
        }
        match self.rule_problem(&new.tool, new.action, new.arguments.as_ref()) {
            Some(detail) => Err(Error::invalid("bad_rule", detail)),
            None => Ok(()),
        }
    }

    fn rule_entry(&self, who: &Principal, action: Action, rule: &Rule) -> AuditEntry {
        let detail = json!({
            "subject": rule.subject,
            "tool": rule.tool,
            "action": rule.action,
            "scope": rule.scope,
            "expires_at": rule.expires_at,
        });
        self.entry(who.actor(), rule.user_id, action, rule.id, detail)
    }
}

fn too_many(subject: &Subject) -> Error {
    let detail = match subject {
        Subject::Session(_) => {
            format!("There are already {MOST_IN_SESSION} rules for this conversation. Delete some first.")
        }
        _ => format!("There are already {MOST} rules. Delete some first."),
    };
    Error::conflict("too_many_rules", detail)
}

//! The rules of the gate, as people make and unmake them.

use crate::{
    engine::Engine,
    error::{Error, Result},
    gate::rules as matching,
    idempotency_key,
    inbox::tell_peer,
    model::unknown_price::{FACTS, PERMISSION, USE_MODEL},
    people::{Credential, Principal},
};
use domain::{
    ArgumentKind, Permission, Rule, RuleArguments, RuleId, RuleScope, Subject, Timestamp, ToolRule,
};
use serde_json::json;
use store::{
    Page, Paged, Tx,
    audit::{self, AuditEntry},
    idempotency::Noted,
    rules as rows,
};

/// Rules of one person, or of the house.
const MOST: u64 = 1_000;
/// Rules for one session.
pub(crate) const MOST_IN_SESSION: u64 = 200;
const NAME_BYTES: usize = 64;
const ARGUMENT_BYTES: usize = 32 << 10;

/// A rule as somebody wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRule {
    pub subject: Subject,
    pub tool: String,
    pub action: Permission,
    pub scope: RuleScope,
    pub arguments: Option<RuleArguments>,
    pub expires_at: Option<Timestamp>,
    /// For everybody it could concern, not for the maker's own sessions alone. Admins only.
    pub house: bool,
}

/// What is known of a tool by its name.
struct Known {
    permission: Permission,
    kinds: &'static [(&'static str, ArgumentKind)],
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
        let read = async move |tx: &mut Tx| rows::list(tx, store.vault(), user, &page).await;
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
        let entry = self.rule_entry(who, "rule.create", &rule);
        let (store, saved) = (self.store().clone(), rule.clone());
        let write = async move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, store.vault(), keyed.as_ref()).await?;
            if noted != Noted::First {
                return Ok(noted);
            }
            let full = match saved.subject {
                Subject::Session(session) => rows::count_in(tx, session).await? >= MOST_IN_SESSION,
                _ => rows::count(tx, saved.user_id).await? >= MOST,
            };
            if full {
                return Err(RuleRefusal::TooMany);
            }
            rows::insert(tx, store.vault(), &saved).await?;
            audit::append(tx, store.vault(), entry).await?;
            Ok(noted)
        };
        let noted = self.store().attempt(write).await.map_err(|refusal| match refusal {
            RuleRefusal::TooMany => {
                let detail = match rule.subject {
                    Subject::Session(_) => {
                        format!(
                            "there are {MOST_IN_SESSION} rules for this session already; delete some first"
                        )
                    }
                    _ => format!("there are {MOST} rules already; delete some first"),
                };
                Error::conflict("too_many_rules", detail)
            }
            RuleRefusal::Store(error) => error.into(),
        })?;
        match idempotency_key::made(noted)? {
            Some(before) => self.rule(before).await,
            None => Ok(rule),
        }
    }

    async fn rule(&self, id: RuleId) -> Result<Rule> {
        let store = self.store().clone();
        let read = async move |tx: &mut Tx| rows::get(tx, store.vault(), id).await;
        self.store().read(read).await?.ok_or(Error::NotFound("rule"))
    }

    /// Takes a rule back: one's own, or as an admin one of the house.
    pub async fn delete_rule(&self, who: &Principal, id: RuleId) -> Result<()> {
        let rule = self.rule(id).await?;
        match rule.user_id {
            Some(owner) if owner != who.user_id => return Err(Error::NotFound("rule")),
            None if !who.role.is_admin() => {
                let detail = "this is a rule of the house; an admin may take it back";
                return Err(Error::forbidden("role_insufficient", detail));
            }
            _ => {}
        }
        // What is no longer forbidden or asked about may run.
        if rule.action != Permission::Allow {
            self.check_widening(who)?;
        }
        let entry = self.rule_entry(who, "rule.delete", &rule);
        let store = self.store().clone();
        let write = async move |tx: &mut Tx| {
            let there = rows::delete(tx, id).await?;
            if there {
                audit::append(tx, store.vault(), entry).await?;
            }
            Ok(there)
        };
        match self.store().write(write).await? {
            true => Ok(()),
            false => Err(Error::NotFound("rule")),
        }
    }

    /// Does it count instead of a stricter one of the same voice, because it is more specific?
    async fn outdoes_stricter(&self, who: &Principal, new: &Rule) -> Result<bool> {
        let (store, user, now) = (self.store().clone(), who.user_id, self.now());
        // A rule for one session is more specific than every other; none of another session's is touched by it.
        let own = match new.subject {
            Subject::Session(session) => vec![session],
            _ => Vec::new(),
        };
        let read = async move |tx: &mut Tx| rows::for_call(tx, store.vault(), user, &own, now).await;
        let rules = self.store().read(read).await?;
        Ok(rules.iter().any(|rule| rule.user_id == new.user_id && matching::outdoes(new, rule)))
    }

    /// THREAT[gate-16] Rights are widened by a person who has just proved who they are, never by a key or a page that was
    /// left open.
    pub(crate) fn check_widening(&self, who: &Principal) -> Result<()> {
        let detail = match who.credential {
            Credential::Operator | Credential::Login { .. } => return who.check_confirmed(self.now()),
            Credential::Key { .. } => {
                "rights are widened by a person who has signed in, or in the terminal of the house, not with a key"
            }
            Credential::Agent(_) => "rights are widened by a person who has signed in, never by an agent",
        };
        Err(Error::forbidden("scope_insufficient", detail))
    }

    /// Is it a rule of the house? Somebody else's session or agent is not found.
    async fn check_subject(&self, who: &Principal, new: &NewRule) -> Result<bool> {
        let house = match new.subject {
            Subject::Everybody => true,
            Subject::User(user) => new.house || user != who.user_id,
            Subject::Agent(_) => new.house,
            Subject::Session(_) if new.house => {
                return Err(Error::invalid("bad_rule", "a rule for one session is its person's own"));
            }
            Subject::Session(_) => false,
        };
        if house && !who.role.is_admin() {
            let detail =
                "rules for others are made by admins; for yourself, name your user id as the subject";
            return Err(Error::forbidden("role_insufficient", detail));
        }
        match new.subject {
            Subject::Everybody => {}
            Subject::User(user) => drop(self.user(user).await?),
            Subject::Agent(agent) => drop(self.agent(who.user_id, agent).await?),
            Subject::Session(session) => drop(self.session(who.user_id, session).await?),
        }
        Ok(house)
    }

    fn check_rule(&self, new: &NewRule) -> Result<()> {
        let bad = |detail: &str| Err(Error::invalid("bad_rule", detail.to_owned()));
        if new.scope == RuleScope::Session && !matches!(new.subject, Subject::Session(_)) {
            return bad("scope session needs a session as the subject");
        }
        if new.scope == RuleScope::Once && new.action != Permission::Allow {
            return bad("scope once is for allow alone: it is used up by the call that it allows");
        }
        if new.expires_at.is_some_and(|at| at <= self.now()) {
            return bad("expires_at is in the past");
        }
        self.check_word(&new.tool, new.action, new.arguments.as_ref())
            .map_err(|detail| Error::invalid("bad_rule", detail))
    }

    /// What is wrong with the words of an agent about its tools.
    pub(crate) fn tool_rule_problem(&self, rule: &ToolRule) -> Option<String> {
        self.check_word(&rule.tool, rule.action, rule.arguments.as_ref()).err()
    }

    fn check_word(
        &self,
        tool: &str,
        action: Permission,
        arguments: Option<&RuleArguments>,
    ) -> std::result::Result<(), String> {
        let plain = |part: &str| {
            (1..=NAME_BYTES).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        let (name, of_tool) = tool.split_once('.').map_or((tool, None), |(name, of)| (name, Some(of)));
        if tool != "*" && !(plain(name) && of_tool.is_none_or(plain)) {
            return Err("tool is the name of a tool, tool.action, or *".to_owned());
        }
        let known = self.known_tool(name);
        if action == Permission::Allow {
            match &known {
                // What comes later under this name, or under any, was not meant.
                None => return Err(format!("{tool}: allow names one tool that there is")),
                Some(known) if known.permission > Permission::Ask => {
                    let word = known.permission.as_str();
                    return Err(format!("{name} is {word} by itself; a rule does not change that"));
                }
                Some(_) => {}
            }
        }
        let Some(arguments) = arguments else { return Ok(()) };
        let length = match arguments {
            RuleArguments::Exact(value) | RuleArguments::Template(value) => value.to_string().len(),
            RuleArguments::Host(host) => host.len(),
        };
        if length > ARGUMENT_BYTES {
            return Err(format!("the arguments of a rule have at most {ARGUMENT_BYTES} bytes"));
        }
        match matching::problem(arguments, known.map_or(&[], |known| known.kinds)) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    fn known_tool(&self, name: &str) -> Option<Known> {
        if name == USE_MODEL {
            return Some(Known { permission: PERMISSION, kinds: FACTS.kinds });
        }
        if name == tell_peer::TELL_PEER {
            return Some(Known { permission: tell_peer::PERMISSION, kinds: tell_peer::FACTS.kinds });
        }
        let tool = self.registry().tool(name)?;
        Some(Known { permission: tool.permission, kinds: tool.tool.argument_kinds() })
    }

    fn rule_entry(&self, who: &Principal, action: &str, rule: &Rule) -> AuditEntry {
        AuditEntry {
            at: self.now(),
            user_id: rule.user_id,
            actor: who.actor(),
            action: action.to_owned(),
            subject: rule.id.to_string(),
            detail: json!({
                "subject": rule.subject,
                "tool": rule.tool,
                "action": rule.action,
                "scope": rule.scope,
                "expires_at": rule.expires_at,
            }),
        }
    }
}

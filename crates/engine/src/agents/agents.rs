//! Agents: made, changed and deleted by the people they belong to, checked when they are saved.

use crate::{
    agents::{handler::Handler, widening::widened},
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use capability::Registry;
use domain::{
    Agent, AgentId, AgentStatus, Budget, CapabilityRef, Change, Limits, MarkupMode, MarkupSettings,
    ModifierKind, Parameters, PromptTree, Share, Timestamp, ToolRule, UserId, name_problem,
};
use people::Principal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{
    Conflict, Page, Paged, Tx,
    audit::{self, Action, AuditEntry},
    idempotency::KeyUse,
};

/// Some models are called by the path of their file.
const PROMPT_BYTES: usize = 1 << 20;
const CAPABILITIES: usize = 250;
const TOOLS: usize = 1_000;
const TOOL_RULES: usize = 200;
const SHARES: usize = 200;

/// The fields of an agent that a person may set. For a new agent only `name` is required, and what is absent has its
/// default; for a change, what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentFields {
    pub name: Change<String>,
    pub status: Change<AgentStatus>,
    pub model: Change<String>,
    pub system_prompt: Change<String>,
    pub prompt_tree: Change<PromptTree>,
    pub capabilities: Change<Vec<CapabilityRef>>,
    pub allowed_tools: Change<Vec<String>>,
    pub tool_rules: Change<Vec<ToolRule>>,
    pub handler: Change<String>,
    pub markup: Change<MarkupSettings>,
    pub parameters: Change<Parameters>,
    pub limits: Change<Limits>,
    pub budget: Change<Budget>,
    pub shared_with: Change<Vec<Share>>,
}

impl Engine {
    pub async fn create_agent(&self, who: &Principal, fields: AgentFields) -> Result<Agent> {
        self.create_agent_once(who, fields, "agent", None).await
    }

    /// A repeated key finds the agent that the first one made of the same fields, in the same way.
    pub async fn create_agent_once(
        &self,
        who: &Principal,
        fields: AgentFields,
        way: &str,
        idempotency_key: Option<String>,
    ) -> Result<Agent> {
        let user = who.user_id;
        let Change::Set(name) = fields.name.clone() else {
            return Err(Error::invalid("missing_name", "An agent needs a name."));
        };
        let blank = self.blank_agent(user, name, self.now());
        let keyed = self.keyed(user, way, idempotency_key, format!("{fields:?}"), blank.id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.agent(user, before).await;
        }
        let mut agent = blank.clone();
        self.apply(user, &mut agent, fields).await?;
        self.check_shares(&mut agent).await?;
        let wider = self.check_wider(who, &blank, &agent).await?;
        let entry = self.agent_entry(who, Action::AgentCreated, &agent, json!({ "widened": wider }));
        let key = self.store().data_key(user).await?;
        let (saved, vault) = (agent.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            if noted == KeyUse::First {
                store::agents::create(tx, &key, &saved)?;
                audit::append(tx, &vault, entry)?;
            }
            Ok(noted)
        };
        match idempotency_key::made(self.store().write(write).await.map_err(name_taken)?)? {
            Some(before) => self.agent(user, before).await,
            None => Ok(agent),
        }
    }

    /// An agent with nothing set.
    pub(crate) fn blank_agent(&self, user_id: UserId, name: String, now: Timestamp) -> Agent {
        Agent::blank(
            AgentId::from_uuid(self.inner.ids.uuid()),
            user_id,
            name,
            self.inner.settings.turn.limits,
            now,
        )
    }

    /// An agent that the user may see: their own, or one that is shared.
    pub async fn agent(&self, user: UserId, id: AgentId) -> Result<Agent> {
        let store = self.store().clone();
        let read = move |tx: &mut Tx| store::agents::get(tx, store.vault(), user, id);
        self.store().read(read).await?.ok_or(Error::NotFound("agent"))
    }

    pub async fn agent_by_name(&self, user: UserId, name: String) -> Result<Agent> {
        let store = self.store().clone();
        let read = move |tx: &mut Tx| store::agents::by_name(tx, store.vault(), user, &name);
        self.store().read(read).await?.ok_or(Error::NotFound("agent"))
    }

    pub async fn agents(&self, user: UserId, page: Page) -> Result<Paged<Agent>> {
        let store = self.store().clone();
        Ok(self.store().read(move |tx| store::agents::list(tx, store.vault(), user, page)).await?)
    }

    /// An agent whose settings the user may see and change: their own, and for admins every one that is shared.
    pub(crate) async fn editable_agent(&self, user: UserId, id: AgentId) -> Result<Agent> {
        let agent = self.agent(user, id).await?;
        if agent.user_id != user && !self.people().user(user).await?.role.is_admin() {
            return Err(not_yours());
        }
        Ok(agent)
    }

    pub async fn change_agent(&self, who: &Principal, id: AgentId, fields: AgentFields) -> Result<Agent> {
        let user = who.user_id;
        let before = self.editable_agent(user, id).await?;
        let mut agent = before.clone();
        let was_main = agent.name == Agent::MAIN;
        let shares = fields.shared_with != Change::Keep;
        self.apply(user, &mut agent, fields).await?;
        if was_main && (agent.name != Agent::MAIN || agent.status != AgentStatus::Active) {
            return Err(Error::conflict("main_agent", "The agent main cannot be renamed or archived."));
        }
        self.check_shares(&mut agent).await?;
        let wider = self.check_wider(who, &before, &agent).await?;
        let detail = json!({ "fields": changed(&before, &agent)?, "widened": wider });
        let entry = self.agent_entry(who, Action::AgentChanged, &agent, detail);
        agent.updated_at = self.now();
        let key = self.store().data_key(agent.user_id).await?;
        let (saved, vault) = (agent.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let known = store::agents::update(tx, &key, &saved)?;
            if known && shares {
                store::agents::share(tx, &saved)?;
            }
            if known {
                audit::append(tx, &vault, entry)?;
            }
            Ok(known)
        };
        match self.store().write(write).await.map_err(name_taken)? {
            true => Ok(agent),
            false => Err(Error::NotFound("agent")),
        }
    }

    pub async fn delete_agent(&self, who: &Principal, id: AgentId) -> Result<()> {
        let user = who.user_id;
        let agent = self.agent(user, id).await?;
        if agent.user_id != user {
            return Err(not_yours());
        }
        if agent.name == Agent::MAIN {
            return Err(Error::conflict("main_agent", "The agent main cannot be deleted."));
        }
        let entry = self.agent_entry(who, Action::AgentDeleted, &agent, json!({}));
        let vault = self.store().vault().clone();
        let delete = move |tx: &mut Tx| {
            let known = store::agents::delete(tx, user, id)?;
            if known {
                audit::append(tx, &vault, entry)?;
            }
            Ok(known)
        };
        match self.store().write(delete).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound("agent")),
            Err(store::Error::Conflict(Conflict::AgentInUse)) => Err(Error::conflict(
                "agent_in_use",
                "This agent has conversations that are not archived. Archive or delete them first.",
            )),
            Err(other) => Err(other.into()),
        }
    }

    /// What an agent may do more than before is given to it by a person who has just proved who they are. Says what.
    async fn check_wider(&self, who: &Principal, before: &Agent, after: &Agent) -> Result<Option<String>> {
        let registry = self.registry_for(after.user_id).await?;
        let Some(wider) = widened(before, after, &registry) else { return Ok(None) };
        match self.check_widening(who) {
            Err(Error::Forbidden { code, detail }) => Err(Error::forbidden(
                code,
                format!("This change gives the agent more rights ({wider}). {detail}"),
            )),
            other => other.map(|()| Some(wider)),
        }
    }

    fn agent_entry(&self, who: &Principal, action: Action, agent: &Agent, detail: Value) -> AuditEntry {
        self.entry(who.actor(), Some(agent.user_id), action, agent.id, detail)
    }

    /// What is left is checked; nothing is saved.
    pub(crate) async fn apply(&self, editor: UserId, agent: &mut Agent, fields: AgentFields) -> Result<()> {
        if let Change::Set(_) = &fields.model {
            // Another process may have added its provider a moment ago.
            self.refresh_models().await?;
        }
        if fields.name == Change::Reset {
            return Err(Error::invalid("missing_name", "An agent needs a name."));
        }
        fields.name.apply(&mut agent.name, String::new());
        fields.status.apply(&mut agent.status, AgentStatus::Active);
        match fields.model {
            Change::Keep => {}
            Change::Reset => agent.model = None,
            Change::Set(model) => agent.model = Some(model),
        }
        fields.system_prompt.apply(&mut agent.system_prompt, String::new());
        match fields.prompt_tree {
            Change::Keep => {}
            Change::Reset => agent.prompt_tree = None,
            Change::Set(tree) => agent.prompt_tree = Some(Box::new(tree)),
        }
        fields.capabilities.apply(&mut agent.capabilities, Vec::new());
        fields.allowed_tools.apply(&mut agent.allowed_tools, vec!["*".to_owned()]);
        fields.tool_rules.apply(&mut agent.tool_rules, Vec::new());
        fields.handler.apply(&mut agent.handler, Agent::BASIC_HANDLER.to_owned());
        fields.markup.apply(&mut agent.markup, MarkupSettings::default());
        fields.parameters.apply(&mut agent.parameters, Parameters::default());
        fields.limits.apply(&mut agent.limits, self.inner.settings.turn.limits);
        fields.budget.apply(&mut agent.budget, Budget::NONE);
        fields.shared_with.apply(&mut agent.shared_with, Vec::new());
        let registry = self.registry_for(agent.user_id).await?;
        self.check(agent, editor, &registry)
    }

    /// Everybody it is shared with exists, once, and is not its owner.
    async fn check_shares(&self, agent: &mut Agent) -> Result<()> {
        agent.shared_with.sort();
        agent.shared_with.dedup();
        if agent.shared_with.len() > SHARES {
            return Err(Error::invalid(
                "too_many",
                format!("An agent can be shared with at most {SHARES} people."),
            ));
        }
        let store = self.store().clone();
        for share in &agent.shared_with {
            let Share::User(id) = *share else { continue };
            let vault = store.vault().clone();
            let known = store.read(move |tx| store::users::by_id(tx, &vault, id)).await?;
            if known.is_none() || id == agent.user_id {
                let detail = format!("shared_with: {id} is not another account on this server.");
                return Err(Error::invalid("unknown_user", detail));
            }
        }
        Ok(())
    }

    fn check(&self, agent: &Agent, editor: UserId, registry: &Registry) -> Result<()> {
        check_name(&agent.name, "The name of an agent")?;
        if agent.system_prompt.len() > PROMPT_BYTES {
            return Err(Error::TooLarge(
                "The instructions (system_prompt) are too long. The limit is 1 MB.".to_owned(),
            ));
        }
        if agent.capabilities.len() > CAPABILITIES || agent.allowed_tools.len() > TOOLS {
            return Err(Error::invalid(
                "too_many",
                "An agent can have at most 250 capabilities and 1000 allowed tools.",
            ));
        }
        if agent.tool_rules.len() > TOOL_RULES {
            let detail = format!("An agent can have at most {TOOL_RULES} tool_rules.");
            return Err(Error::invalid("too_many", detail));
        }
        let wrong = |rule: &ToolRule| self.rule_problem(&rule.tool, rule.action, rule.arguments.as_ref());
        if let Some(problem) = agent.tool_rules.iter().find_map(wrong) {
            return Err(Error::invalid("bad_tool_rules", format!("tool_rules: {problem}")));
        }
        if Handler::of(&agent.handler).is_none() {
            return Err(Error::invalid("unknown_handler", Handler::unknown(&agent.handler)));
        }
        if let Some(problem) = tree_problem(agent) {
            return Err(Error::invalid("bad_prompt_tree", format!("prompt_tree: {problem}.")));
        }
        if let Some(problem) = agent.limits.problem() {
            return Err(Error::invalid("bad_limits", problem));
        }
        if let Some(problem) = agent.budget.problem() {
            return Err(Error::invalid("bad_budget", problem));
        }
        if let Some(problem) = agent.parameters.problem() {
            return Err(Error::invalid("bad_parameters", problem));
        }
        if let Some(model) = &agent.model {
            self.check_model(model)?;
        }
        let checked = self.check_capabilities(registry, agent, editor);
        checked.map_err(|error| Error::invalid("bad_capabilities", error.to_string()))
    }
}

pub(crate) fn check_name(name: &str, whose: &str) -> Result<()> {
    name_problem(name, whose).map_or(Ok(()), |problem| Err(Error::invalid("bad_name", problem)))
}

/// The names of the fields that are no longer the same.
fn changed(before: &Agent, after: &Agent) -> Result<Vec<String>> {
    let fields = |agent: &Agent| serde_json::to_value(agent).map_err(|_| Error::Internal);
    let (before, after) = (fields(before)?, fields(after)?);
    let names = after.as_object().into_iter().flatten();
    let differs = |(name, value): &(&String, &Value)| before.get(name.as_str()) != Some(*value);
    let mut names: Vec<String> = names.filter(differs).map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    Ok(names)
}

fn tree_problem(agent: &Agent) -> Option<String> {
    let tree = agent.prompt_tree.as_ref()?;
    let in_words = |kind: ModifierKind| kind == ModifierKind::ToolList;
    if agent.markup.mode != MarkupMode::On
        && tree.modifiers.iter().any(|one| one.enabled && in_words(one.kind))
    {
        return Some(
            "tool_list needs markup.mode \"on\", because otherwise the calls are not read".to_owned(),
        );
    }
    tree.problem()
}

fn not_yours() -> Error {
    Error::forbidden(
        "not_yours",
        "This agent is shared with you. Only its owner and admins can change its settings.",
    )
}

fn name_taken(error: store::Error) -> Error {
    match error {
        store::Error::Conflict(Conflict::AgentName) => {
            Error::conflict("name_taken", "You already have an agent of that name. Choose another name.")
        }
        other => other.into(),
    }
}

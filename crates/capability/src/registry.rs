//! Every capability there is, in a stable order.
//!
//! A registry is a list that others are built upon: what belongs to one person (their abilities, what a plugin brings
//! them) is added to a clone of the shared one, with [`Registry::with`] or, where one that is written wrongly must not
//! take the others along, with [`Registry::with_sound`].

use crate::{
    AssemblyError, Capability, CapabilityInfo, CapabilityStatus, CapabilityView, Condition, Equipment, Hook,
    Process, ResolveError, Resolved, ResolvedCondition, ResolvedHook, ResolvedTool, Settings, Tool, ToolView,
    builtin,
    dependencies::{self, Member},
    resolve,
    schema::Schema,
    system,
};
use domain::{CapabilityRef, ToolSpec, canonical_tool};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

/// In an agent's `allowed_tools`: all of them.
const EVERY_TOOL: &str = "*";
/// What an agent has at most, with everything that comes along.
const MOST: usize = 250;

/// Cheap to clone: the clones share their capabilities.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<Arc<Entry>>,
}

/// A capability with everything that does not depend on the agent worked out once.
struct Entry {
    info: CapabilityInfo,
    capability: Arc<dyn Capability>,
    tools: Vec<Arc<ResolvedTool>>,
    hooks: Vec<Arc<dyn Hook>>,
    condition: Option<Arc<dyn Condition>>,
    process: Option<Arc<Process>>,
    settings_schema: Option<Value>,
    settings: Option<Schema>,
}

impl Registry {
    pub fn empty() -> Self {
        Self::default()
    }

    /// What comes with the program: the built-ins, then the processes.
    ///
    /// # Errors
    /// Only if one is written wrongly; a test sees to it that none is.
    pub fn builtin() -> Result<Self, AssemblyError> {
        Self::equipped(&Equipment::default())
    }

    /// As [`Registry::builtin`], where more is at hand.
    ///
    /// # Errors
    /// Only if one is written wrongly; a test sees to it that none is.
    pub fn equipped(equipment: &Equipment) -> Result<Self, AssemblyError> {
        builtin::all(equipment).into_iter().chain(system::all()).try_fold(Self::empty(), Self::with)
    }

    /// Adds a capability at the end.
    ///
    /// # Errors
    /// When its id is taken, or a tool's name or a schema cannot be used.
    pub fn with(mut self, capability: Arc<dyn Capability>) -> Result<Self, AssemblyError> {
        let entry = Arc::new(Entry::new(capability)?);
        let id = entry.info.id.as_str();
        if self.entry(id).is_some() {
            return Err(AssemblyError::DuplicateId { id: id.to_owned() });
        }
        self.entries.push(Arc::clone(&entry));
        match dependencies::circle(id, &|id| self.dependencies(id)) {
            Some(circle) => Err(AssemblyError::Circle { circle }),
            None => Ok(self),
        }
    }

    /// Adds those that can be added, and says what is wrong with the others.
    pub fn with_sound(
        self,
        capabilities: impl IntoIterator<Item = Arc<dyn Capability>>,
    ) -> (Self, Vec<AssemblyError>) {
        let mut problems = Vec::new();
        let add = |registry: Self, capability| match registry.clone().with(capability) {
            Ok(grown) => grown,
            Err(problem) => {
                problems.push(problem);
                registry
            }
        };
        let grown = capabilities.into_iter().fold(self, add);
        (grown, problems)
    }

    /// In the order in which they were added.
    pub fn list(&self) -> Vec<CapabilityView> {
        self.entries.iter().map(|entry| entry.view()).collect()
    }

    pub fn get(&self, id: &str) -> Option<CapabilityView> {
        self.entry(id).map(Entry::view)
    }

    /// The tool of that name, whichever capability brings it.
    pub fn tool(&self, name: &str) -> Option<&Arc<ResolvedTool>> {
        self.entries.iter().flat_map(|entry| &entry.tools).find(|tool| tool.spec.name == name)
    }

    /// May an agent be saved like this?
    ///
    /// # Errors
    /// The first thing that is wrong, naming the culprit.
    pub fn check(&self, wanted: &[CapabilityRef], allowed_tools: &[String]) -> Result<(), ResolveError> {
        for reference in wanted {
            self.check_one(reference)?;
        }
        let chosen = self.chosen(wanted)?;
        for Chosen { member, .. } in &chosen {
            let Some(needed_by) = member.needed_by else { continue };
            if !self.entry(member.id).is_some_and(Entry::works) {
                let (id, needed_by) = (member.id.to_owned(), needed_by.to_owned());
                return Err(ResolveError::MissingDependency { id, needed_by });
            }
            self.check_one(&CapabilityRef::from(member.id))?;
        }
        let names = tool_names(&chosen)?;
        let known = |name: &str| {
            let (tool, action) =
                name.split_once('.').map_or((name, None), |(tool, action)| (tool, Some(action)));
            let has = |action: &str| {
                let spec = self.tool(tool).map(|tool| &*tool.spec);
                spec.and_then(resolve::actions).is_some_and(|actions| actions.contains(&action))
            };
            names.contains_key(tool) && action.is_none_or(has)
        };
        match allowed_tools.iter().find(|name| *name != EVERY_TOOL && !known(name)) {
            Some(name) => Err(ResolveError::UnknownTool { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// What a saved agent has today. A capability that has disappeared since is reported in
    /// [`Resolved::missing`], and an allowed tool that went with it is simply not there.
    ///
    /// # Errors
    /// Two tools of one name, or a capability twice: neither may win in silence.
    pub fn resolve(
        &self,
        wanted: &[CapabilityRef],
        allowed_tools: &[String],
    ) -> Result<Resolved, ResolveError> {
        let chosen = self.chosen(wanted)?;
        tool_names(&chosen)?;
        let mut resolved = Resolved::default();
        for Chosen { member, entry, settings } in chosen {
            let Some(entry) = entry else {
                resolved.missing.push(member.id.to_owned());
                continue;
            };
            let text = entry.capability.prompt(settings);
            resolved.prompts.extend(text.map(|text| (member.id.to_owned(), text)));
            resolved.set(member.id, settings);
            for feature in &entry.info.features {
                if !resolved.features.contains(feature) {
                    resolved.features.push(feature.clone());
                }
            }
            for tool in &entry.tools {
                match granted(allowed_tools, &tool.spec.name) {
                    Granted::Whole => resolved.push(tool),
                    Granted::Actions(actions) if !actions.is_empty() => {
                        resolved.push(tool);
                        resolved.grant_only(&tool.spec.name, actions);
                    }
                    Granted::Actions(_) => {}
                }
            }
            resolved.hooks.extend(entry.hooks.iter().map(|hook| ResolvedHook {
                capability: member.id.to_owned(),
                settings: settings.clone(),
                hook: Arc::clone(hook),
            }));
            resolved.conditions.extend(entry.condition.iter().map(|condition| ResolvedCondition {
                capability: member.id.to_owned(),
                source: entry.info.source,
                settings: settings.clone(),
                condition: Arc::clone(condition),
            }));
            resolved.processes.extend(entry.process.clone());
        }
        Ok(resolved)
    }

    /// Does one of them, or one that comes along, have this feature? `false` also where they cannot be together.
    pub fn features(&self, wanted: &[CapabilityRef], feature: &str) -> bool {
        let has = |entry: &Entry| entry.info.features.iter().any(|one| one == feature);
        self.chosen(wanted).is_ok_and(|all| all.iter().filter_map(|one| one.entry).any(has))
    }

    fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.info.id == id).map(Arc::as_ref)
    }

    fn dependencies(&self, id: &str) -> &[String] {
        self.entry(id).map_or(&[], |entry| entry.info.dependencies.as_slice())
    }

    /// The listed ones and what comes along with them, each with what it names, if that exists and works.
    fn chosen<'a>(&'a self, wanted: &'a [CapabilityRef]) -> Result<Vec<Chosen<'a>>, ResolveError> {
        let mut listed: HashMap<&str, &Settings> = HashMap::new();
        for reference in wanted {
            if listed.insert(&reference.id, &reference.settings).is_some() {
                return Err(ResolveError::Duplicate { id: reference.id.clone() });
            }
        }
        let ids: Vec<&str> = wanted.iter().map(|reference| reference.id.as_str()).collect();
        let members = dependencies::expand(&ids, &|id| self.dependencies(id), MOST);
        let members = members.ok_or(ResolveError::TooMany { most: MOST })?;
        let choose = |member: Member<'a>| Chosen {
            member,
            entry: self.entry(member.id).filter(|entry| entry.works()),
            settings: listed.get(member.id).copied().unwrap_or(&UNSET),
        };
        Ok(members.into_iter().map(choose).collect())
    }

    fn check_one(&self, reference: &CapabilityRef) -> Result<(), ResolveError> {
        let id = &reference.id;
        let Some(entry) = self.entry(id) else {
            let known = self.entries.iter().map(|entry| entry.info.id.clone()).collect();
            return Err(ResolveError::Unknown { id: crate::arguments::shorten(id, 80), known });
        };
        if !entry.works() {
            let remedy = entry.info.remedy.clone();
            return Err(ResolveError::NotAvailable { id: id.clone(), remedy });
        }
        let problem = match &entry.settings {
            None if reference.settings.is_empty() => return Ok(()),
            None => "it has no settings".to_owned(),
            Some(schema) => match schema.check(&Value::Object(reference.settings.clone())) {
                Ok(()) => return Ok(()),
                Err(problem) => problem,
            },
        };
        Err(ResolveError::BadSettings { id: id.clone(), problem })
    }
}

/// How much of a tool an agent has.
enum Granted {
    Whole,
    /// Only these.
    Actions(Vec<String>),
}

/// What `allowed_tools` says of one tool: its name, `*`, or `tool.action` for each action of it.
fn granted(allowed_tools: &[String], tool: &str) -> Granted {
    let tool = canonical_tool(tool);
    if allowed_tools.iter().any(|allowed| allowed == EVERY_TOOL || canonical_tool(allowed) == tool) {
        return Granted::Whole;
    }
    let action = |allowed: &String| {
        let (name, action) = allowed.split_once('.')?;
        (canonical_tool(name) == tool).then(|| action.to_owned())
    };
    Granted::Actions(allowed_tools.iter().filter_map(action).collect())
}

/// The settings of those that come along unlisted.
static UNSET: LazyLock<Settings> = LazyLock::new(Settings::new);

/// One capability of an agent.
struct Chosen<'a> {
    member: Member<'a>,
    entry: Option<&'a Entry>,
    settings: &'a Settings,
}

/// Every tool name with the capability that brings it.
fn tool_names<'a>(chosen: &[Chosen<'a>]) -> Result<HashMap<&'a str, &'a str>, ResolveError> {
    let mut names = HashMap::new();
    for Chosen { member, entry, .. } in chosen {
        for tool in entry.iter().flat_map(|entry| &entry.tools) {
            if let Some(first) = names.insert(tool.spec.name.as_str(), member.id) {
                return Err(ResolveError::Conflict {
                    tool: tool.spec.name.clone(),
                    first: first.to_owned(),
                    second: member.id.to_owned(),
                });
            }
        }
    }
    Ok(names)
}

impl Entry {
    fn new(capability: Arc<dyn Capability>) -> Result<Self, AssemblyError> {
        let info = capability.info();
        let tools = capability.tools().into_iter().map(|tool| prepare(&info.id, tool));
        let tools = tools.collect::<Result<_, _>>()?;
        let settings_schema = capability.settings_schema();
        let settings = match &settings_schema {
            Some(schema) => Some(compile(&info.id, "its settings", schema)?),
            None => None,
        };
        let (hooks, condition, process) = (capability.hooks(), capability.condition(), capability.process());
        Ok(Self { info, capability, tools, hooks, condition, process, settings_schema, settings })
    }

    fn works(&self) -> bool {
        !matches!(self.info.status, CapabilityStatus::ComingSoon | CapabilityStatus::Unavailable)
    }

    fn view(&self) -> CapabilityView {
        let tools =
            self.tools.iter().map(|tool| ToolView { spec: ToolSpec::clone(&tool.spec), class: tool.class });
        CapabilityView {
            info: self.info.clone(),
            tools: tools.collect(),
            settings_schema: self.settings_schema.clone(),
        }
    }
}

fn prepare(capability: &str, tool: Arc<dyn Tool>) -> Result<Arc<ResolvedTool>, AssemblyError> {
    let spec = tool.spec();
    // The strictest of the model providers; a name one of them refuses would break every turn of the agent.
    let usable = (1..=64).contains(&spec.name.len())
        && spec.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !usable {
        return Err(AssemblyError::ToolName { capability: capability.to_owned(), name: spec.name });
    }
    let what = format!("the tool `{}`", spec.name);
    compile(capability, &what, &spec.parameters)?;
    let schema = compile(capability, &what, &tool.checked_schema())?;
    let (class, permission) = (tool.class(), tool.permission());
    let spec = Arc::new(spec);
    Ok(Arc::new(ResolvedTool { tool, spec, class, permission, capability: capability.to_owned(), schema }))
}

fn compile(capability: &str, what: &str, schema: &Value) -> Result<Schema, AssemblyError> {
    Schema::compile(schema).map_err(|problem| AssemblyError::Schema {
        capability: capability.to_owned(),
        what: what.to_owned(),
        problem,
    })
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;

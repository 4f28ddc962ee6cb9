//! Every capability there is, in a stable order.

use crate::{
    AssemblyError, Capability, CapabilityInfo, CapabilityStatus, CapabilityView, Hook, ResolveError,
    Resolved, ResolvedHook, ResolvedTool, Tool, ToolView, builtin, schema::Schema,
};
use domain::CapabilityRef;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// In an agent's `allowed_tools`: all of them.
const EVERY_TOOL: &str = "*";

/// Cheap to clone: the clones share their capabilities.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<Arc<Entry>>,
}

/// A capability with everything that does not depend on the agent worked out once.
struct Entry {
    info: CapabilityInfo,
    prompt: Option<String>,
    tools: Vec<Arc<ResolvedTool>>,
    hooks: Vec<Arc<dyn Hook>>,
    settings_schema: Option<Value>,
    settings: Option<Schema>,
}

impl Registry {
    pub fn empty() -> Self {
        Self::default()
    }

    /// What comes with the program.
    ///
    /// # Errors
    /// Only if a built-in is written wrongly; a test sees to it that none is.
    pub fn builtin() -> Result<Self, AssemblyError> {
        builtin::all().into_iter().try_fold(Self::empty(), Self::with)
    }

    /// Adds a capability at the end.
    ///
    /// # Errors
    /// When its id is taken, or a tool's name or a schema cannot be used.
    pub fn with(mut self, capability: Arc<dyn Capability>) -> Result<Self, AssemblyError> {
        let entry = Entry::new(capability.as_ref())?;
        if self.entry(&entry.info.id).is_some() {
            return Err(AssemblyError::DuplicateId { id: entry.info.id });
        }
        self.entries.push(Arc::new(entry));
        Ok(self)
    }

    /// In the order in which they were added.
    pub fn list(&self) -> Vec<CapabilityView> {
        self.entries.iter().map(|entry| entry.view()).collect()
    }

    pub fn get(&self, id: &str) -> Option<CapabilityView> {
        self.entry(id).map(Entry::view)
    }

    /// May an agent be saved like this?
    ///
    /// # Errors
    /// The first thing that is wrong, naming the culprit.
    pub fn check(&self, wanted: &[CapabilityRef], allowed_tools: &[String]) -> Result<(), ResolveError> {
        for reference in wanted {
            self.check_one(reference)?;
        }
        let names = tool_names(&self.chosen(wanted)?)?;
        match allowed_tools.iter().find(|name| *name != EVERY_TOOL && !names.contains_key(name.as_str())) {
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
        let allows =
            |name: &str| allowed_tools.iter().any(|allowed| allowed == EVERY_TOOL || allowed == name);
        let mut resolved = Resolved::default();
        for (reference, (id, entry)) in wanted.iter().zip(chosen) {
            let Some(entry) = entry else {
                resolved.missing.push(id.to_owned());
                continue;
            };
            resolved.prompts.extend(entry.prompt.iter().map(|text| (id.to_owned(), text.clone())));
            for tool in entry.tools.iter().filter(|tool| allows(&tool.spec.name)) {
                resolved.push(tool);
            }
            resolved.hooks.extend(entry.hooks.iter().map(|hook| ResolvedHook {
                capability: id.to_owned(),
                settings: reference.settings.clone(),
                hook: Arc::clone(hook),
            }));
        }
        Ok(resolved)
    }

    fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.info.id == id).map(Arc::as_ref)
    }

    /// Each wanted id with what it names, if that exists and works.
    fn chosen<'a>(
        &'a self,
        wanted: &'a [CapabilityRef],
    ) -> Result<Vec<(&'a str, Option<&'a Entry>)>, ResolveError> {
        let mut seen = HashSet::new();
        let mut chosen = Vec::with_capacity(wanted.len());
        for reference in wanted {
            let id = reference.id.as_str();
            if !seen.insert(id) {
                return Err(ResolveError::Duplicate { id: id.to_owned() });
            }
            chosen.push((id, self.entry(id).filter(|entry| entry.works())));
        }
        Ok(chosen)
    }

    fn check_one(&self, reference: &CapabilityRef) -> Result<(), ResolveError> {
        let id = &reference.id;
        let Some(entry) = self.entry(id) else {
            let known = self.entries.iter().map(|entry| entry.info.id.clone()).collect();
            return Err(ResolveError::Unknown { id: crate::arguments::shorten(id, 80), known });
        };
        if !entry.works() {
            return Err(ResolveError::NotAvailable { id: id.clone() });
        }
        let problem = match &entry.settings {
            None if reference.settings.is_empty() => return Ok(()),
            None => "it takes no settings".to_owned(),
            Some(schema) => match schema.check(&Value::Object(reference.settings.clone())) {
                Ok(()) => return Ok(()),
                Err(problem) => problem,
            },
        };
        Err(ResolveError::BadSettings { id: id.clone(), problem })
    }
}

/// Every tool name with the capability that brings it.
fn tool_names<'a>(
    chosen: &[(&'a str, Option<&'a Entry>)],
) -> Result<HashMap<&'a str, &'a str>, ResolveError> {
    let mut names = HashMap::new();
    for (id, entry) in chosen {
        for tool in entry.iter().flat_map(|entry| &entry.tools) {
            if let Some(first) = names.insert(tool.spec.name.as_str(), *id) {
                return Err(ResolveError::Conflict {
                    tool: tool.spec.name.clone(),
                    first: first.to_owned(),
                    second: (*id).to_owned(),
                });
            }
        }
    }
    Ok(names)
}

impl Entry {
    fn new(capability: &dyn Capability) -> Result<Self, AssemblyError> {
        let info = capability.info();
        let tools = capability.tools().into_iter().map(|tool| prepare(&info.id, tool));
        let tools = tools.collect::<Result<_, _>>()?;
        let settings_schema = capability.settings_schema();
        let settings = match &settings_schema {
            Some(schema) => Some(compile(&info.id, "its settings", schema)?),
            None => None,
        };
        let (prompt, hooks) = (capability.prompt(), capability.hooks());
        Ok(Self { info, prompt, tools, hooks, settings_schema, settings })
    }

    fn works(&self) -> bool {
        self.info.status != CapabilityStatus::ComingSoon
    }

    fn view(&self) -> CapabilityView {
        let tools = self.tools.iter().map(|tool| ToolView { spec: tool.spec.clone(), class: tool.class });
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
    let schema = compile(capability, &format!("the tool `{}`", spec.name), &spec.parameters)?;
    let (class, permission) = (tool.class(), tool.permission());
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

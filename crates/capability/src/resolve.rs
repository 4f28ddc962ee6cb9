//! What an agent's list of capabilities comes to: its prompts and its tools, in the agent's order.

use crate::{Process, ResolvedCondition, ResolvedHook, Settings, Tool, schema::Schema};
use domain::{EffectClass, Permission, ToolSpec};
use serde_json::Value;
use std::{collections::HashMap, fmt, sync::Arc};

/// A tool that is ready to be called, with its schema compiled.
pub struct ResolvedTool {
    pub tool: Arc<dyn Tool>,
    pub spec: Arc<ToolSpec>,
    pub class: EffectClass,
    pub permission: Permission,
    /// The id of the capability that brings it.
    pub capability: String,
    pub(crate) schema: Schema,
}

impl ResolvedTool {
    /// # Errors
    /// In words for the model, naming the parameter.
    pub fn check_arguments(&self, arguments: &Value) -> Result<(), String> {
        self.schema.check(arguments)
    }
}

impl fmt::Debug for ResolvedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({})", self.capability, self.spec.name, self.class.as_str())
    }
}

#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// Capability id and text.
    pub prompts: Vec<(String, String)>,
    /// The tools the agent may use; names are unique.
    pub tools: Vec<Arc<ResolvedTool>>,
    /// In the agent's order.
    pub hooks: Vec<ResolvedHook>,
    /// In the agent's order.
    pub conditions: Vec<ResolvedCondition>,
    /// What its person can call for by name, in the agent's order.
    pub processes: Vec<Arc<Process>>,
    /// Ids the agent lists that no longer exist or no longer work. To be shown, never skipped in silence.
    pub missing: Vec<String>,
    /// What clients may show for its sessions, each once.
    pub features: Vec<String>,
    by_name: HashMap<String, usize>,
    /// Of tools that are granted in part only: the actions that are.
    actions: HashMap<String, Vec<String>>,
    settings: HashMap<String, Arc<Settings>>,
}

impl Resolved {
    pub(crate) fn push(&mut self, tool: &Arc<ResolvedTool>) {
        self.by_name.insert(tool.spec.name.clone(), self.tools.len());
        self.tools.push(Arc::clone(tool));
    }

    pub fn tool(&self, name: &str) -> Option<&Arc<ResolvedTool>> {
        self.by_name.get(name).and_then(|index| self.tools.get(*index))
    }

    pub(crate) fn grant_only(&mut self, tool: &str, actions: Vec<String>) {
        self.actions.insert(tool.to_owned(), actions);
    }

    /// May the agent use the tool at all, and with this action?
    pub fn grants(&self, tool: &str, action: Option<&str>) -> bool {
        self.by_name.contains_key(tool)
            && self
                .actions
                .get(tool)
                .is_none_or(|only| action.is_some_and(|action| only.iter().any(|known| known == action)))
    }

    /// Does it grant everything of the tool that the other grants?
    pub fn grants_all(&self, tool: &str, other: &Self) -> bool {
        let every = |actions: &Vec<String>| actions.iter().all(|action| self.grants(tool, Some(action)));
        match other.actions.get(tool) {
            Some(actions) => self.by_name.contains_key(tool) && every(actions),
            None => self.by_name.contains_key(tool) && !self.actions.contains_key(tool),
        }
    }

    pub(crate) fn set(&mut self, capability: &str, settings: &Settings) {
        if !settings.is_empty() {
            self.settings.insert(capability.to_owned(), Arc::new(settings.clone()));
        }
    }

    /// What the agent sets about one of its capabilities.
    pub fn settings(&self, capability: &str) -> Arc<Settings> {
        self.settings.get(capability).cloned().unwrap_or_default()
    }

    /// The processes that a session begins with: those with more underscores before their name first, then by the alphabet.
    pub fn startup(&self) -> Vec<&Arc<Process>> {
        let mut found: Vec<(&str, &Arc<Process>)> = self
            .processes
            .iter()
            .filter_map(|process| Some((process.startup.as_deref()?, process)))
            .collect();
        let underscores = |name: &str| name.len() - name.trim_start_matches('_').len();
        found.sort_by_key(|(name, _)| (std::cmp::Reverse(underscores(name)), *name));
        found.into_iter().map(|(_, process)| process).collect()
    }

    /// The process of that name.
    pub fn process(&self, name: &str) -> Option<&Arc<Process>> {
        self.processes.iter().find(|process| process.name == name)
    }

    /// What the model is told of the tools; of one that is granted in part, only that part.
    pub fn specs(&self) -> Vec<Arc<ToolSpec>> {
        let told = self.tools.iter().filter(|tool| !tool.tool.is_alias());
        told.map(|tool| match self.actions.get(&tool.spec.name) {
            Some(only) => Arc::new(narrowed(ToolSpec::clone(&tool.spec), only)),
            None => tool.spec.clone(),
        })
        .collect()
    }

    /// Of a tool that is granted in part: the actions that are.
    pub fn granted_actions(&self, tool: &str) -> Option<&[String]> {
        self.actions.get(tool).map(Vec::as_slice)
    }
}

/// The actions that a tool knows, by its parameters; none where it has no such parameter.
pub(crate) fn actions(spec: &ToolSpec) -> Option<Vec<&str>> {
    let known = spec.parameters.pointer("/properties/action/enum")?.as_array()?;
    Some(known.iter().filter_map(Value::as_str).collect())
}

fn narrowed(mut spec: ToolSpec, only: &[String]) -> ToolSpec {
    if let Some(Value::Array(known)) = spec.parameters.pointer_mut("/properties/action/enum") {
        known.retain(|action| {
            action.as_str().is_some_and(|action| only.iter().any(|granted| granted == action))
        });
    }
    spec
}

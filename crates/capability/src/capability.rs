//! A unit that extends an agent.

use crate::{Condition, Hook, Process, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityStatus {
    Available,
    /// Listed so that people know of it; an agent cannot have it yet.
    ComingSoon,
    /// It does not work here as things are; its `remedy` says what to do.
    Unavailable,
    /// Still works for the agents that have it; something better exists.
    Deprecated,
}

/// Where a capability came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapabilitySource {
    Builtin,
    System,
    User,
    Plugin,
    Mcp,
    Skill,
}

/// How much harm an agent could do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// What an agent sets about one of its capabilities; empty where nothing was set.
pub type Settings = Map<String, Value>;

/// What people are shown of a capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapabilityInfo {
    /// By which agents name it; `snake_case` for built-ins.
    pub id: String,
    pub name: String,
    pub description: String,
    pub status: CapabilityStatus,
    pub icon: Option<String>,
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub source: CapabilitySource,
    pub risk: Risk,
    /// The ids of those it does not work without; an agent that has it has them too, whether it lists them or not.
    pub dependencies: Vec<String>,
    /// What clients may show for sessions whose agent has it, for instance `files`.
    pub features: Vec<String>,
    /// Of one that does not work here: why, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl CapabilityInfo {
    /// A built-in that works and can do no harm; one that brings more says so.
    pub fn builtin(id: &str, name: &str, description: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            status: CapabilityStatus::Available,
            icon: None,
            category: None,
            tags: Vec::new(),
            source: CapabilitySource::Builtin,
            risk: Risk::Low,
            dependencies: Vec::new(),
            features: Vec::new(),
            remedy: None,
        }
    }

    /// It does not work here, for a reason that the owner can do something about.
    #[must_use]
    pub fn unavailable(mut self, remedy: &str) -> Self {
        self.status = CapabilityStatus::Unavailable;
        self.remedy = Some(remedy.to_owned());
        self
    }

    #[must_use]
    pub fn shown_as(mut self, icon: &str, category: &str) -> Self {
        self.icon = Some(icon.to_owned());
        self.category = Some(category.to_owned());
        self
    }

    #[must_use]
    pub fn risking(mut self, risk: Risk) -> Self {
        self.risk = risk;
        self
    }

    #[must_use]
    pub fn needing(mut self, id: &str) -> Self {
        self.dependencies.push(id.to_owned());
        self
    }

    #[must_use]
    pub fn featuring(mut self, feature: &str) -> Self {
        self.features.push(feature.to_owned());
        self
    }
}

pub trait Capability: Send + Sync {
    fn info(&self) -> CapabilityInfo;

    /// What it adds to the agent's prompt. Never repeats what the tools' descriptions already say.
    fn prompt(&self, _settings: &Settings) -> Option<String> {
        None
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// What it does at the fixed moments of a turn.
    fn hooks(&self) -> Vec<Arc<dyn Hook>> {
        Vec::new()
    }

    /// What the agent is told while something holds, and only then.
    fn condition(&self) -> Option<Arc<dyn Condition>> {
        None
    }

    /// Words for a task, which the person calls for by `!!NAME!!`, or which every session begins with.
    fn process(&self) -> Option<Arc<Process>> {
        None
    }

    /// The JSON Schema of its per-agent settings, checked when the agent is saved; a capability without one takes none.
    /// The schema refuses what it does not know, or a misspelt name would set nothing in silence.
    fn settings_schema(&self) -> Option<Value> {
        None
    }
}

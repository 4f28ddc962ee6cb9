//! A configured mind: model, prompt, capabilities, allowed tools, limits.

pub mod narrowing;
pub mod prompt_tree;

use crate::{AgentId, Budget, Limits, MarkupSettings, PromptTree, Share, Timestamp, ToolRule, UserId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    Active,
    Archived,
}

/// One entry of an agent's ordered capability list: an id, with settings if it has any.
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityRef {
    pub id: String,
    pub settings: Map<String, Value>,
}

impl From<&str> for CapabilityRef {
    fn from(id: &str) -> Self {
        Self { id: id.to_owned(), settings: Map::new() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WithSettings {
    id: String,
    #[serde(default)]
    settings: Map<String, Value>,
}

/// Written as a plain string when there are no settings, as an object otherwise; both are read.
impl Serialize for CapabilityRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        if self.settings.is_empty() {
            return serializer.serialize_str(&self.id);
        }
        let mut object = serializer.serialize_struct("CapabilityRef", 2)?;
        object.serialize_field("id", &self.id)?;
        object.serialize_field("settings", &self.settings)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for CapabilityRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(id) => Ok(Self { id, settings: Map::new() }),
            object @ Value::Object(_) => {
                let full: WithSettings = serde_json::from_value(object).map_err(serde::de::Error::custom)?;
                Ok(Self { id: full.id, settings: full.settings })
            }
            _ => Err(serde::de::Error::custom(
                "write a capability as its id in quotes, or as {\"id\": \"…\", \"settings\": {…}}",
            )),
        }
    }
}

impl JsonSchema for CapabilityRef {
    fn schema_name() -> Cow<'static, str> {
        "CapabilityRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "a capability of an agent: its id, with settings if it has any",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "id": { "type": "string" }, "settings": { "type": "object" } },
                    "required": ["id"],
                    "additionalProperties": false,
                },
            ],
            "examples": ["current_time"],
        })
    }
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    Off,
    Low,
    Medium,
    High,
}

impl Reasoning {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What is passed on to the model; absent means the provider's own default. What a model does not know is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
}

impl Parameters {
    /// The first value that is out of its range, in words.
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            p if p.temperature.is_some_and(|t| !(0.0..=2.0).contains(&t)) => {
                Some("“Temperature” (parameters.temperature) must be 0 to 2.")
            }
            p if p.top_p.is_some_and(|t| !(0.0..=1.0).contains(&t)) => {
                Some("parameters.top_p must be 0 to 1.")
            }
            p if p.max_tokens.is_some_and(|n| !(1..=10_000_000).contains(&n)) => {
                Some("“Longest reply, in tokens” (parameters.max_tokens) must be 1 to 10,000,000.")
            }
            _ => None,
        }
    }
}

/// A model with instructions, capabilities and limits. `model` null: the default model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    pub id: AgentId,
    /// Whose agent it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    pub name: String,
    pub status: AgentStatus,
    /// `provider/model`.
    pub model: Option<String>,
    pub system_prompt: String,
    /// Where the system prompt alone is not enough; none = the usual tree.
    #[serde(default)]
    pub prompt_tree: Option<Box<PromptTree>>,
    /// In the order in which they enter the prompt.
    pub capabilities: Vec<CapabilityRef>,
    /// `["*"]` = every tool of its capabilities, `[]` = none.
    pub allowed_tools: Vec<String>,
    /// What it may do with its tools, where that is not what the tools say themselves.
    #[serde(default)]
    pub tool_rules: Vec<ToolRule>,
    /// The strategy that runs its turns.
    pub handler: String,
    /// How its replies are read.
    #[serde(default)]
    pub markup: MarkupSettings,
    pub parameters: Parameters,
    pub limits: Limits,
    /// What each person may spend with it.
    #[serde(default)]
    pub budget: Budget,
    /// Who may talk to it besides its owner; each of them in sessions of their own.
    #[serde(default)]
    pub shared_with: Vec<Share>,
    /// Grows with every change of what its owner wrote for their agents; read together with the agent, so that a worker which
    /// keeps that in memory knows whether it is still true.
    #[serde(skip)]
    pub abilities_version: u64,
    /// The same of the providers and the default model, which are not its owner's but the server's.
    #[serde(skip)]
    pub models_version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Agent {
    /// The agent every user has from the start; it cannot be deleted.
    pub const MAIN: &'static str = "main";
    /// The only handler there is so far: prompt concatenation.
    pub const BASIC_HANDLER: &'static str = "basic";

    /// An agent with nothing set.
    pub fn blank(id: AgentId, user_id: UserId, name: String, limits: Limits, now: Timestamp) -> Self {
        Self {
            id,
            user_id,
            name,
            status: AgentStatus::Active,
            model: None,
            system_prompt: String::new(),
            prompt_tree: None,
            capabilities: Vec::new(),
            allowed_tools: vec!["*".to_owned()],
            tool_rules: Vec::new(),
            handler: Self::BASIC_HANDLER.to_owned(),
            markup: MarkupSettings::default(),
            parameters: Parameters::default(),
            limits,
            budget: Budget::NONE,
            shared_with: Vec::new(),
            abilities_version: 0,
            models_version: 0,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn allows_tool(&self, name: &str) -> bool {
        self.allowed_tools.iter().any(|allowed| allowed == "*" || allowed == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_without_settings_is_a_string() {
        let plain: CapabilityRef = serde_json::from_str("\"noop\"").unwrap();
        assert_eq!(serde_json::to_string(&plain).unwrap(), "\"noop\"");
        let full: CapabilityRef = serde_json::from_str(r#"{"id":"x","settings":{"a":1}}"#).unwrap();
        assert_eq!(serde_json::to_string(&full).unwrap(), r#"{"id":"x","settings":{"a":1}}"#);
        let empty: CapabilityRef = serde_json::from_str(r#"{"id":"noop"}"#).unwrap();
        assert_eq!(empty, plain);
        assert!(serde_json::from_str::<CapabilityRef>(r#"{"id":"x","other":1}"#).is_err());
        assert!(serde_json::from_str::<CapabilityRef>("1").is_err());
    }
}

//! What a person writes for their agents: a process, or instructions that count while a condition holds.

use crate::{AbilityId, Danger, Timestamp, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbilityKind {
    /// Words for a task, told when the person or the agent asks for them.
    #[default]
    Process,
    /// Words that an agent is told while its condition holds.
    Conditional,
}

impl AbilityKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Conditional => "conditional",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Process, Self::Conditional].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What an ability says, without who wrote it and when: what a file of it holds, and what a person may set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AbilityText {
    /// By which agents list it: their capability of that id.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = 60))]
    #[schemars(example = &"weekly_report")]
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: AbilityKind,
    /// The words, with placeholders such as `{{DATE}}`.
    #[schemars(example = &"Write the report of the week of {{DATE}}.")]
    pub content: String,
    /// When they count; a conditional ability needs one, a process has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"words(\"invoice\", \"bill\") and hour >= 9")]
    pub condition: Option<String>,
    #[serde(default)]
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub danger: Danger,
    /// A process that agents are told at the beginning of every session.
    #[serde(default)]
    pub startup: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ability {
    pub id: AbilityId,
    #[serde(skip)]
    pub user_id: UserId,
    #[serde(flatten)]
    pub text: AbilityText,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a model was told because a condition held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Injected {
    pub name: String,
    /// What held, in words.
    pub condition: String,
    pub tokens: u64,
}

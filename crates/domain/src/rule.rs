//! What may run without asking, what is asked about, and what never runs: the words of people about tools.

use crate::{AgentId, IdError, Permission, RuleId, SessionId, Timestamp, UserId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::{borrow::Cow, fmt, str::FromStr};

/// For how long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// For one call.
    Once,
    /// As long as the session is there.
    Session,
    /// Until it is taken back, or its time is over.
    Always,
}

impl RuleScope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Once, Self::Session, Self::Always].into_iter().find(|scope| scope.as_str() == text)
    }
}

/// For whom a rule is: all people, a person, an agent or one session, by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    Everybody,
    User(UserId),
    Agent(AgentId),
    Session(SessionId),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everybody => f.write_str("*"),
            Self::User(id) => id.fmt(f),
            Self::Agent(id) => id.fmt(f),
            Self::Session(id) => id.fmt(f),
        }
    }
}

impl FromStr for Subject {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once('_') {
            None if text == "*" => Ok(Self::Everybody),
            Some((AgentId::PREFIX, _)) => text.parse().map(Self::Agent),
            Some((SessionId::PREFIX, _)) => text.parse().map(Self::Session),
            _ => text.parse().map(Self::User),
        }
    }
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = "subject must be * or the id of a user, an agent or a session";
        text.parse().map_err(|_| serde::de::Error::custom(wrong))
    }
}

impl JsonSchema for Subject {
    fn schema_name() -> Cow<'static, str> {
        "Subject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": r"^(\*|(user|agent|session)_[0-9a-f]{32})$",
            "description": "`*` for all people, or the id of a user, an agent or a session",
            "examples": ["agent_01980000000070008000000000000001"],
        })
    }
}

/// With which arguments a rule is concerned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleArguments {
    /// Exactly these.
    Exact(Value),
    /// An object that names every argument of the call. A value stands for itself; `"*"` for any; an address or a path
    /// may end in `/*`. A command is never a template.
    Template(Value),
    /// Every call that goes to an address at this host, such as `example.org` or `example.org:8443`, whatever else it says.
    Host(String),
}

/// A rule of the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    pub id: RuleId,
    /// Whose rule it is; absent for a rule of the server, which an admin made.
    pub user_id: Option<UserId>,
    pub subject: Subject,
    /// A tool, one action of it (`tool.action`), or `*`.
    pub tool: String,
    pub action: Permission,
    pub scope: RuleScope,
    /// Absent: whatever the arguments are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RuleArguments>,
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// What an agent's own settings say about a tool, for all people who use the agent. It only ever narrows: `allow` is an
/// exception from a wider rule of the same agent, and permits nothing that the tool itself asks about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRule {
    /// A tool, one action of it (`tool.action`), or `*`.
    pub tool: String,
    pub action: Permission,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RuleArguments>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_a_star_or_an_id() {
        for good in ["*", "user_01980000000070008000000000000001", "agent_01980000000070008000000000000001"] {
            assert_eq!(good.parse::<Subject>().unwrap().to_string(), good);
        }
        for bad in ["", "**", "everybody", "session_1", "key_01980000000070008000000000000001", "agent_*"] {
            assert!(bad.parse::<Subject>().is_err(), "{bad:?} was accepted");
        }
    }
}

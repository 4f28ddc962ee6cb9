//! What a model is told of a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether an agent may run a tool by itself.
/// The order is that of strictness.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    #[default]
    Allow,
    /// A person is asked; their answer may hold for longer than once.
    Ask,
    /// A person is asked about each call, whatever was said before.
    AskEveryTime,
    Deny,
}

impl Permission {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::AskEveryTime => "ask_every_time",
            Self::Deny => "deny",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::AskEveryTime, Self::Deny]
            .into_iter()
            .find(|permission| permission.as_str() == text)
    }
}

/// How much harm a tool can do, or an agent that follows an ability, as people are shown it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    #[default]
    Safe,
    Moderate,
    Dangerous,
}

impl Danger {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Moderate => "moderate",
            Self::Dangerous => "dangerous",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Safe, Self::Moderate, Self::Dangerous].into_iter().find(|danger| danger.as_str() == text)
    }
}

/// Where what a call is given, or does, ends up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sink {
    /// Nowhere: it only looks, or only answers.
    Nowhere,
    /// In the session itself: its files, its list of tasks.
    Inside,
    /// With the host at the address that the call names; it learns that address and nothing else.
    Site,
    /// With the one service that the owner of the server chose for this, such as a search service.
    Service,
    /// Others may read it, or something outside of the session is another afterwards.
    Outside,
}

impl Sink {
    /// Does anything of it leave the session?
    pub const fn is_way_out(self) -> bool {
        matches!(self, Self::Site | Self::Service | Self::Outside)
    }
}

/// Where a call does its work, for the person who is asked about it. The tool says so itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workplace {
    /// In the sandbox; on the network only the hosts that the agent's settings list.
    Sandbox,
    /// In the sandbox; on the network also the Python package index.
    SandboxWithPackages,
    /// In the files of the session, without network.
    SessionFiles,
    /// On the server, without network.
    Server,
    /// On the network, wherever the call says.
    Network,
    /// On the network, at the search service of the server.
    SearchService,
    /// On the server, by another agent with that agent's own tools.
    OtherAgent,
    /// Outside the server, with the peer of a bridge.
    Peer,
    /// On the network, at the provider of the model.
    ModelProvider,
}

/// What an argument is, where the gate knows rules for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// A place among the session's files.
    Path,
    /// An address that is asked over HTTP.
    Url,
    Sql,
    /// A person who is sent something.
    Recipient,
    /// A whole command, for a shell or an interpreter.
    Command,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of the arguments: an object with named properties.
    pub parameters: Value,
}

/// The name of what a tool does, where agents can write the same thing in several ways: rules and a yes for one way hold
/// for the others.
pub fn canonical_tool(name: &str) -> &str {
    match name {
        "websearch" => "web_search",
        other => other,
    }
}

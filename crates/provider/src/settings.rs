//! What the rest of the program tells this crate about providers, and what it says about them in return.

use crate::{Price, Prices};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// The wire formats that are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Chat Completions: `OpenAI`, Ollama, llama.cpp, LM Studio, vLLM, `OpenRouter` and many more.
    #[serde(rename = "openai")]
    OpenAi,
    /// Messages: the models of Anthropic, and servers that speak like theirs.
    Anthropic,
}

impl Wire {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::OpenAi, Self::Anthropic].into_iter().find(|wire| wire.as_str() == text)
    }
}

/// Who said that a provider exists. A name that several say is taken from the first of them, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// `majordomo.toml`, or a variable that stands for a line of it.
    File,
    /// An admin, while the program ran; kept in the store.
    Stored,
    /// The variables of the vendors' SDKs.
    Environment,
    /// Not configured: it answers on its usual local port.
    Found,
}

/// What is wrong with a provider's name. It is part of every model's id, so it has no slash; and of variables, so it is
/// plain.
pub fn name_problem(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name == crate::DEMO {
        return Some("a provider cannot be called `demo`: that is the built-in model");
    }
    let is_name = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    (!is_name).then_some("the name of a provider must have 1 to 64 letters, digits, - _ and .")
}

/// One provider as configured. `Debug` does not show the key.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// The part of a model id before its first slash.
    pub name: String,
    pub wire: Wire,
    /// As the vendors' SDKs take it: it usually ends in `/v1`, for Anthropic without it.
    pub base_url: String,
    pub api_key: Option<SecretString>,
    /// Empty = ask the server.
    pub models: Vec<String>,
    /// `Some(true)` = costs nothing. Loopback and private addresses are free unless this says `Some(false)`.
    pub free: Option<bool>,
    pub prices: Prices,
    /// What people have said of single models: `true` = it sees pictures. It counts more than what is known.
    pub images: BTreeMap<String, bool>,
    pub origin: Origin,
    /// Where these settings come from, for `doctor`: a file, a variable.
    pub source: String,
}

/// Everything [`crate::Models`] needs to know.
#[derive(Clone, Debug)]
pub struct ModelsSettings {
    pub providers: Vec<ProviderSettings>,
    /// `provider/model`; used where an agent names none and no admin has chosen one.
    pub default_model: Option<String>,
    /// Look at the usual local ports when no provider is configured.
    pub probe_local: bool,
    /// The longest silence before an answer, and between two pieces of it, that is waited for.
    pub stall: Duration,
}

impl Default for ModelsSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            default_model: None,
            probe_local: false,
            stall: Duration::from_secs(120),
        }
    }
}

/// What is known of a provider's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reachability {
    /// Not asked yet.
    Unknown,
    Reachable,
    Failed,
}

/// A provider as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProviderStatus {
    pub name: String,
    pub wire: Wire,
    /// Without user name and password, if it had them.
    pub base_url: String,
    pub has_api_key: bool,
    pub origin: Origin,
    pub source: String,
    pub status: Reachability,
    /// What went wrong, when it failed.
    pub detail: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
    pub models: Vec<String>,
    /// What people have said that each of its models costs, in micro-USD per million tokens; absent = they have not.
    pub price: Option<Price>,
    /// The same of single models.
    pub prices: BTreeMap<String, Price>,
    /// What people have said of single models: `true` = it sees pictures.
    pub images: BTreeMap<String, bool>,
}

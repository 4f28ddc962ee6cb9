//! What is known of vendors and their models: data, in `vendors.toml`.

pub(crate) mod choice;
pub(crate) mod discover_ollama_and_others;
pub(crate) mod environment;
pub(crate) mod listed;
pub(crate) mod price;

use crate::{
    Price, Wire,
    accepts::{Accepts, Thinking},
};
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vendors {
    pub(crate) unknown_window: u64,
    pub(crate) unknown_local_window: u64,
    not_for_chat: Vec<String>,
    sees: Vec<String>,
    pub(crate) local: Vec<LocalServer>,
    vendor: Vec<Vendor>,
}

/// A server that people run themselves, on its usual port.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocalServer {
    pub(crate) name: String,
    /// As people know it.
    label: String,
    pub(crate) port: u16,
}

impl LocalServer {
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vendor {
    name: String,
    /// As people know it.
    label: String,
    host: String,
    pub(crate) base_url: String,
    pub(crate) wire: Wire,
    #[serde(default)]
    pub(crate) completion_limit: bool,
    /// What its keys begin with, and no other vendor's do.
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    preferred: Vec<String>,
    #[serde(default)]
    model: Vec<KnownModel>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownModel {
    name: String,
    pub(crate) window: u64,
    #[serde(default)]
    pub(crate) max_output: Option<u64>,
    #[serde(default)]
    images: bool,
    #[serde(default = "yes")]
    sampling: bool,
    /// The words for how much to think.
    #[serde(default)]
    efforts: Vec<String>,
    #[serde(default)]
    thinking: Option<ThinkingWord>,
    #[serde(default)]
    pub(crate) price: Option<Price>,
}

/// How a model of the Messages wire is told to think.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ThinkingWord {
    Budget,
    Adaptive,
    Always,
}

const fn yes() -> bool {
    true
}

impl KnownModel {
    pub(crate) fn accepts(&self, vendor: &Vendor) -> Accepts {
        let thinking = match self.thinking {
            Some(ThinkingWord::Budget) => Thinking::Budget,
            Some(ThinkingWord::Adaptive) => Thinking::Adaptive { always: false },
            Some(ThinkingWord::Always) => Thinking::Adaptive { always: true },
            None if self.efforts.is_empty() => Thinking::Fixed,
            None => Thinking::Efforts(self.efforts.clone()),
        };
        Accepts {
            images: self.images,
            sampling: self.sampling,
            completion_limit: vendor.completion_limit,
            thinking,
            max_output: self.max_output,
        }
    }
}

static VENDORS: LazyLock<Vendors> = LazyLock::new(|| parse().unwrap_or_default());

fn parse() -> Result<Vendors, toml::de::Error> {
    toml::from_str(include_str!("vendors.toml"))
}

impl Vendors {
    pub(crate) fn get() -> &'static Self {
        &VENDORS
    }

    /// By the address, not by the name a person gave it: that is what decides who answers and who is paid.
    pub(crate) fn by_host(&self, host: &str) -> Option<&Vendor> {
        self.vendor.iter().find(|vendor| vendor.host == host)
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<&Vendor> {
        self.vendor.iter().find(|vendor| vendor.name == name)
    }

    pub(crate) fn chats(&self, model: &str) -> bool {
        let model = model.to_lowercase();
        !self.not_for_chat.iter().any(|part| model.contains(part.as_str()))
    }

    /// By its name alone: is this a model that takes pictures?
    pub(crate) fn sees(&self, model: &str) -> bool {
        let model = model.to_lowercase();
        self.sees.iter().any(|part| model.contains(part.as_str()))
    }
}

impl Vendor {
    /// Of a model it has that is not described here.
    pub(crate) fn accepts_of_unknown(&self) -> Accepts {
        // A vendor whose models are known refuses what a model does not take; the others say nothing about theirs.
        let thinking = if self.model.is_empty() { Thinking::Unknown } else { Thinking::Fixed };
        Accepts { completion_limit: self.completion_limit, thinking, ..Accepts::default() }
    }

    /// By its exact name, else as a dated release of a known one.
    pub(crate) fn model(&self, name: &str) -> Option<&KnownModel> {
        let exact = self.model.iter().find(|known| known.name == name);
        exact.or_else(|| self.model.iter().find(|known| is_release(name, &known.name)))
    }

    /// Where a model stands when one must be chosen; smaller is better.
    pub(crate) fn rank(&self, name: &str) -> usize {
        self.preferred.iter().position(|preferred| preferred == name).unwrap_or(usize::MAX)
    }
}

/// `gpt-4o-2024-08-06` is a release of `gpt-4o`; `gpt-4o-audio-preview` is another model at another price, and so is
/// `claude-sonnet-4-5-20250929` beside `claude-sonnet-4`.
fn is_release(name: &str, of: &str) -> bool {
    let date = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('-'));
    date.is_some_and(|date| {
        let first = date.split('-').next().unwrap_or_default();
        first.len() >= 4 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

#[cfg(test)]
#[path = "vendors_tests.rs"]
mod tests;

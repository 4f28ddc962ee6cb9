//! Addresses that are no way out although a step is private and untrusted: those that the person typed, and those that the
//! search service returned (ADR 0067). Going there tells no more than what is in the address, and only the
//! person or the search service made the address.
//!
//! THREAT[label-05] Which of several known addresses is visited, and how often, is a message as well: a search result counts
//! once in a session, and a turn visits [`VISITS`] known addresses at most.

use crate::label::provenance_label::Declared;
use domain::{Message, Part, ResultStatus, Role, TurnId, canonical_tool};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use url::Url;

/// Known addresses that one turn may visit unasked.
pub const VISITS: usize = 10;
/// As many of each kind are kept, the newest.
const KEPT: usize = 200;
/// The tool whose results count.
const SEARCH: &str = "web_search";

/// What a step knows of addresses. Kept with the turn, as short digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAddresses {
    typed: BTreeSet<String>,
    /// Returned by the search service, and not visited since then.
    found: BTreeSet<String>,
    /// How many known addresses this turn has visited.
    visits: usize,
}

impl KnownAddresses {
    /// Of everything that was said and done in a session, also of what is no longer told: an agent that lets a call
    /// fade out of a prompt has still made it. `own_agent`: no other person could have put words into the mouth of the session's person
    /// (`/start` sends what the agent's owner wrote).
    pub fn of(messages: &[Message], turn: TurnId, declared: Declared, own_agent: bool) -> Self {
        let (mut typed, mut found) = (Vec::new(), Vec::new());
        for message in messages {
            if own_agent && is_typed(message, declared) {
                typed.extend(in_text(&message.content));
            }
            found.extend(message.parts.iter().flat_map(returned));
        }
        let newest = |all: Vec<String>| all.into_iter().rev().take(KEPT).collect::<BTreeSet<String>>();
        let mut known = Self { typed: newest(typed), found: newest(found), visits: 0 };
        for message in messages {
            for address in message.calls().flat_map(|(_, _, arguments)| visited(arguments)) {
                known.visit(&address, message.turn_id == turn);
            }
        }
        known
    }

    /// A call has gone there, or is about to.
    fn visit(&mut self, address: &str, in_this_turn: bool) {
        let is_found = self.found.remove(address);
        if in_this_turn && (is_found || self.typed.contains(address)) {
            self.visits = self.visits.saturating_add(1);
        }
    }

    /// Is it known, after the calls that the same step makes before it?
    pub fn names<'a>(&self, address: &str, before: impl Iterator<Item = &'a Value>) -> bool {
        let Some(address) = plain(address).map(|plain| digest(&plain)) else { return false };
        let mut now = self.clone();
        for arguments in before {
            for earlier in visited(arguments) {
                now.visit(&earlier, true);
            }
        }
        now.visits < VISITS && (now.typed.contains(&address) || now.found.contains(&address))
    }
}

/// Words that the person of the session typed themself.
fn is_typed(message: &Message, declared: Declared) -> bool {
    message.role == Role::User
        && message.asker.is_none()
        && message.sender.is_none()
        && !declared.message(message).is_untrusted()
}

/// The addresses of a text, as they stand there.
fn in_text(text: &str) -> Vec<String> {
    // Most texts have none, and every text of a conversation is looked at in each step.
    if !text.contains("http") {
        return Vec::new();
    }
    let is_end = |character: char| character.is_whitespace() || matches!(character, '<' | '>' | '"' | '`');
    let address = |word: &str| {
        let start = word.find("https://").or_else(|| word.find("http://"))?;
        word.get(start..).map(str::to_owned)
    };
    let mut found = Vec::new();
    for word in text.split(is_end).filter_map(address) {
        // A sentence or a bracket may end behind it, and the address may end so itself.
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '_']);
        for written in [word.as_str(), bare] {
            found.extend(plain(written).map(|plain| digest(&plain)));
        }
    }
    found.dedup();
    found
}

/// The addresses of the pages that a search gave, and nothing that stands in the words about them.
fn returned(part: &Part) -> Vec<String> {
    let Part::Result { name, status: ResultStatus::Ok, content, .. } = part else { return Vec::new() };
    if canonical_tool(name) != SEARCH {
        return Vec::new();
    }
    let Ok(content) = serde_json::from_str::<Value>(content) else { return Vec::new() };
    let hits = content.get("results").and_then(Value::as_array).into_iter().flatten();
    let addresses = hits.filter_map(|hit| hit.get("url").and_then(Value::as_str));
    addresses.filter_map(plain).map(|plain| digest(&plain)).collect()
}

/// Where a call goes, whatever its tool calls the argument.
fn visited(arguments: &Value) -> Vec<String> {
    let texts = arguments.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_str);
    texts.filter_map(plain).map(|plain| digest(&plain)).collect()
}

/// One spelling of an address; what stands behind a `#` is not sent.
fn plain(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    Some(url.to_string())
}

fn digest(plain: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(plain.as_bytes()).into();
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "known_addresses_tests.rs"]
mod tests;

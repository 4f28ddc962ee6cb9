//! What the settings of a capability permit. Those that do have the same name in every capability, and mean the same.
//!
//! | setting | absent | the more is in it |
//! |---|---|---|
//! | `hosts` | none | the more may be reached |
//! | `denied_hosts` | none | the less may be reached |
//! | `agents` | all | the more may be asked |
//! | `read_only` | false | true: nothing may be changed |

use crate::{Settings, hosts};
use serde_json::{Value, json};

const HOSTS: &str = "hosts";
const DENIED: &str = "denied_hosts";
const AGENTS: &str = "agents";
const READ_ONLY: &str = "read_only";

/// Settings that are about something else than what may be done.
#[cfg(test)]
pub(crate) const HARMLESS: [&str; 3] = ["first_byte_seconds", "body_seconds", "timeout_seconds"];
#[cfg(test)]
pub(crate) const KNOWN: [&str; 4] = [HOSTS, DENIED, AGENTS, READ_ONLY];

/// Does `after` permit anything that `before` does not?
pub fn widens(before: &Settings, after: &Settings) -> bool {
    let (denied_before, denied_after) = (hosts::setting(before, DENIED), hosts::setting(after, DENIED));
    let listed = hosts::setting(before, HOSTS);
    let more_hosts = hosts::setting(after, HOSTS).iter().any(|host| !hosts::covers(&listed, host));
    let fewer_denied = denied_before.iter().any(|host| !hosts::covers(&denied_after, host));
    let more_agents = match (agents(before), agents(after)) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after.iter().any(|agent| !before.contains(agent)),
    };
    more_hosts || fewer_denied || more_agents || (reads_only(before) && !reads_only(after))
}

/// What both permit: for one that works for another.
pub fn common(own: &Settings, asker: &Settings) -> Settings {
    let mut both = own.clone();
    let (mine, theirs) = (hosts::setting(own, HOSTS), hosts::setting(asker, HOSTS));
    if !mine.is_empty() {
        let mut shared: Vec<&String> = mine.iter().filter(|host| hosts::covers(&theirs, host)).collect();
        shared.extend(theirs.iter().filter(|host| hosts::covers(&mine, host)));
        shared.sort_unstable();
        shared.dedup();
        both.insert(HOSTS.to_owned(), json!(shared));
    }
    let mut denied = hosts::setting(own, DENIED);
    denied.extend(hosts::setting(asker, DENIED));
    if !denied.is_empty() {
        both.insert(DENIED.to_owned(), json!(denied));
    }
    if let Some(theirs) = agents(asker) {
        let mut shared = agents(own).unwrap_or_else(|| theirs.clone());
        shared.retain(|agent| theirs.contains(agent));
        both.insert(AGENTS.to_owned(), json!(shared));
    }
    if reads_only(asker) {
        both.insert(READ_ONLY.to_owned(), Value::Bool(true));
    }
    both
}

/// Takes out what permits something to the agents that have the capability; its name, if there was any.
pub fn take_out(settings: &mut Settings) -> Option<&'static str> {
    let listed = settings.remove(HOSTS)?;
    listed.as_array().is_none_or(|listed| !listed.is_empty()).then_some(HOSTS)
}

fn agents(settings: &Settings) -> Option<Vec<String>> {
    settings.contains_key(AGENTS).then(|| hosts::setting(settings, AGENTS))
}

fn reads_only(settings: &Settings) -> bool {
    settings.get(READ_ONLY).and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
#[path = "permits_tests.rs"]
mod tests;

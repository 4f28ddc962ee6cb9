//! Lists of hosts: exact names, and everything below a name.

use super::name::canonical;
use crate::Refusal;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// `example.com` is that host alone; `*.example.com` is every host below it, and not itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum HostPattern {
    Exactly(String),
    Below(String),
}

impl HostPattern {
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        let host = canonical(host);
        match self {
            Self::Exactly(name) => host == *name,
            Self::Below(name) => {
                host.strip_suffix(name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
        }
    }
}

impl HostPattern {
    /// Is there a host that both stand for?
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exactly(name), other) | (other, Self::Exactly(name)) => other.matches(name),
            (Self::Below(one), Self::Below(two)) => one == two || self.matches(two) || other.matches(one),
        }
    }
}

impl FromStr for HostPattern {
    type Err = Refusal;

    /// Reads a name as a URL's host is read, so that both are compared in the same form.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let wrong = || {
            Refusal::Malformed(format!(
                "{text:?} is not a host name; write example.com, or *.example.com for all hosts whose names end in .example.com"
            ))
        };
        let (below, name) = match text.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"*/\\@?#%,".contains(c);
        if name.is_empty() || !name.chars().all(plain) {
            return Err(wrong());
        }
        let host = url::Host::parse(name).map_err(|_| wrong())?;
        match (below, host) {
            (true, url::Host::Domain(name)) => Ok(Self::Below(canonical(&name))),
            (true, _) => Err(wrong()),
            (false, host) => Ok(Self::Exactly(canonical(&host.to_string()))),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
        }
    }
}

impl TryFrom<String> for HostPattern {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        text.parse()
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> Self {
        pattern.to_string()
    }
}

/// Whom an agent may reach. What is denied is denied, also when it is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostList {
    /// None: everybody on the internet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<HostPattern>>,
    #[serde(default)]
    pub deny: Vec<HostPattern>,
}

impl HostList {
    pub(crate) fn check(&self, host: &str) -> Result<(), Refusal> {
        if self.deny.iter().any(|pattern| pattern.matches(host)) {
            return Err(Refusal::Denied(host.to_owned()));
        }
        match &self.allow {
            Some(allowed) if !allowed.iter().any(|pattern| pattern.matches(host)) => {
                Err(Refusal::NotListed(host.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "host_list_tests.rs"]
mod tests;

//! What a fetch is allowed and how long and large it may become.

use super::{HostList, HostPattern, name::canonical};
use crate::Refusal;
use serde::{Deserialize, Serialize};
use std::{net::IpAddr, time::Duration};
use url::Url;

/// A host at home that the owner allows by name: a printer, a local search engine. It opens this name and port and
/// nothing beside it; what is never a place to fetch from stays closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateHost {
    pub host: HostPattern,
    pub port: u16,
}

/// At which ports of the hosts that may be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ports {
    #[default]
    Any,
    /// At this one, which an address names.
    Named(u16),
    /// At the usual one of the address's scheme, which no address has to name.
    Usual,
}

impl Ports {
    /// Those of this address and of its like.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        url.port().map_or(Self::Usual, Self::Named)
    }

    fn has(self, url: &Url) -> bool {
        self == Self::Any || self == Self::of(url)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    pub hosts: HostList,
    pub ports: Ports,
    pub private_hosts: Vec<PrivateHost>,
    /// Where this program itself listens, if the system does not know that this is this machine (a router in front of it);
    /// out of bounds even when it is a public address.
    pub own_addresses: Vec<IpAddr>,
}

impl Policy {
    /// Is this host, at this port, among those that may be reached?
    pub(crate) fn check(&self, url: &Url) -> Result<(), Refusal> {
        let host = url.host_str().unwrap_or_default();
        self.hosts.check(host)?;
        match self.ports.has(url) {
            true => Ok(()),
            false => {
                let port = url.port_or_known_default().unwrap_or_default();
                Err(Refusal::NotListed(format!("{host}:{port}")))
            }
        }
    }

    /// Does this address lead to a host at home that the owner allows?
    #[must_use]
    pub fn is_private(&self, url: &Url) -> bool {
        let port = url.port_or_known_default().unwrap_or_default();
        url.host_str().is_some_and(|host| self.is_private_host(host, port))
    }

    /// May a host at home be reached at all?
    #[must_use]
    pub fn reaches_private(&self) -> bool {
        let denied = |host: &HostPattern| self.hosts.deny.iter().any(|denied| denied == host);
        let allowed = |host: &HostPattern| match &self.hosts.allow {
            Some(allowed) => allowed.iter().any(|allowed| allowed.meets(host)),
            None => true,
        };
        self.private_hosts.iter().any(|home| allowed(&home.host) && !denied(&home.host))
    }

    pub(crate) fn is_private_host(&self, host: &str, port: u16) -> bool {
        let host = canonical(host);
        self.private_hosts.iter().any(|allowed| allowed.port == port && allowed.host.matches(&host))
    }
}

/// Ports above 1023 that speak something else than HTTP, and would understand a request sent to them as commands.
/// Those that browsers refuse, and the usual databases and queues.
const OTHER_PROTOCOLS: [u16; 36] = [
    1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061,
    5432, 5672, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9100, 9200, 10080, 11211,
    27017, 50051,
];

/// Whether tools may ask on this port at all.
pub(crate) fn is_web_port(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !OTHER_PROTOCOLS.contains(&port))
}

/// Bounds of one fetch. The defaults are those of `web_fetch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For finding the host and opening the connection, at each hop.
    pub connect: Duration,
    /// From the end of the request to the head of the answer, at each hop.
    pub first_byte: Duration,
    /// For the whole body; what came until then is kept.
    pub body: Duration,
    /// Of the unpacked body; what came until then is kept.
    pub body_bytes: usize,
    pub header_bytes: usize,
    pub headers: usize,
    pub redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(1),
            body: Duration::from_secs(30),
            body_bytes: 10 * 1024 * 1024,
            header_bytes: 64 * 1024,
            headers: 128,
            redirects: 5,
        }
    }
}

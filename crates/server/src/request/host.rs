//! Under which names we answer, and whose pages may call us.
//!
//! THREAT[http-01] A web page whose name is made to resolve to this machine sends that name as `Host`; a page of
//! another site sends its own `Origin`. Both are refused before anything else is looked at.

use crate::{problem::Problem, settings::HttpSettings};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// A host as it is compared: addresses by value, names without case and final dot.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Address(IpAddr),
    Dns(String),
}

/// A name and, where it was given, a port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Authority {
    name: Name,
    port: Option<u16>,
}

/// What is known of how a request reached us, once its Host and Origin are found to be ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Connection {
    /// By https, as far as the browser is concerned.
    pub(crate) secure: bool,
    /// It said from which page it comes, and that page is ours.
    pub(crate) has_origin: bool,
}

/// The names of this server.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    /// The port we listen on.
    port: u16,
    /// The bind address and the names of the machine itself; plain HTTP.
    own: Vec<Name>,
    /// From the settings.
    further: Vec<Authority>,
    public: Option<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    secure: bool,
    name: Name,
    port: u16,
}

impl Hosts {
    pub(crate) fn new(bound: SocketAddr, settings: &HttpSettings) -> io::Result<Self> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let further = settings.hosts.iter().map(|text| {
            Authority::parse(text).ok_or_else(|| wrong(format!("server.hosts: `{text}` is not a host name")))
        });
        let public = settings.public_url.as_deref().map(|url| {
            let origin = Uri::try_from(url).ok().and_then(|uri| Origin::of_uri(&uri));
            origin.ok_or_else(|| {
                wrong("server.public_url must begin with http:// or https:// and a host".to_owned())
            })
        });
        let own = vec![
            Name::Address(bound.ip()),
            Name::Dns("localhost".to_owned()),
            Name::Address(Ipv4Addr::LOCALHOST.into()),
            Name::Address(Ipv6Addr::LOCALHOST.into()),
        ];
        Ok(Self {
            port: bound.port(),
            own,
            further: further.collect::<io::Result<_>>()?,
            public: public.transpose()?,
        })
    }

    /// Only the people at this machine can reach us: bound to a loopback address, and known by no other name.
    pub(crate) fn are_private(&self) -> bool {
        let loopback = |name: &Name| match name {
            Name::Address(address) => address.to_canonical().is_loopback(),
            Name::Dns(name) => name == "localhost",
        };
        self.own.iter().all(loopback) && self.public.is_none() && self.further.is_empty()
    }

    pub(crate) fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<Connection, Problem> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok().and_then(Authority::parse),
            _ => None,
        };
        // A request line with a whole URL names the host a second time.
        let line = uri.authority().map(|authority| Authority::parse(authority.as_str()));
        let known = |authority: &Option<Authority>| {
            authority.as_ref().is_some_and(|authority| self.answers_to(authority))
        };
        if !known(&host) || line.is_some_and(|line| !known(&line)) {
            let detail = "This server does not know the host name of this address. If the address is right, add the name to server.hosts.";
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", detail));
        }
        let has_origin = self.check_origin(headers)?;
        Ok(Connection { secure: host.is_some_and(|host| self.is_secure(&host.name)), has_origin })
    }

    /// Is this name reached through the encrypted public address? Our own names are reached directly.
    fn is_secure(&self, name: &Name) -> bool {
        self.public
            .as_ref()
            .is_some_and(|public| public.secure && (public.name == *name || !self.own.contains(name)))
    }

    fn answers_to(&self, host: &Authority) -> bool {
        let port_fits =
            |further: Option<u16>| host.port.is_none_or(|port| port == self.port || further == Some(port));
        let own = self.own.contains(&host.name) && port_fits(None);
        let public = self
            .public
            .as_ref()
            .is_some_and(|public| public.name == host.name && port_fits(Some(public.port)));
        own || public || self.further.iter().any(|known| known.name == host.name && port_fits(known.port))
    }

    /// Says whether there is an `Origin`; if there is, it is ours.
    fn check_origin(&self, headers: &HeaderMap) -> Result<bool, Problem> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(false) };
        let ours = origins.next().is_none()
            && origin.to_str().ok().and_then(Origin::parse).is_some_and(|origin| self.is_ours(&origin));
        if ours {
            return Ok(true);
        }
        let detail = "This request comes from a web page of another address, so it was refused.";
        Err(Problem::new(StatusCode::FORBIDDEN, "foreign_origin", detail))
    }

    fn is_ours(&self, origin: &Origin) -> bool {
        let own = !origin.secure && origin.port == self.port && self.own.contains(&origin.name);
        let further = || {
            let ports = |known: &Authority| [Some(self.port), Some(default_port(origin.secure)), known.port];
            self.further
                .iter()
                .any(|known| known.name == origin.name && ports(known).contains(&Some(origin.port)))
        };
        own || self.public.as_ref() == Some(origin) || further()
    }
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Self::Address(address.into()));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let usable = !name.is_empty() && name.len() <= 253 && name.bytes().all(plain) && !name.ends_with('.');
        usable.then(|| Self::Dns(name.to_ascii_lowercase()))
    }
}

impl Authority {
    fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.rsplit_once(':') {
            // The colons of an address in brackets belong to it.
            Some((name, port)) if !port.ends_with(']') => (name, Some(parse_port(port)?)),
            _ => (text, None),
        };
        Some(Self { name: Name::parse(name)?, port })
    }
}

impl Origin {
    /// As a browser writes it: a scheme, a host, perhaps a port, nothing more. `null` is no origin.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        Self::new(scheme, Authority::parse(rest)?)
    }

    fn of_uri(uri: &Uri) -> Option<Self> {
        Self::new(uri.scheme_str()?, Authority::parse(uri.authority()?.as_str())?)
    }

    fn new(scheme: &str, authority: Authority) -> Option<Self> {
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let port = authority.port.unwrap_or(default_port(secure));
        Some(Self { secure, name: authority.name, port })
    }
}

fn default_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

fn parse_port(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;

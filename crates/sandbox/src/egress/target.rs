//! A place to fetch from, read once and in one way.

use super::{
    name::{canonical, is_at_home},
    policy::{Policy, is_web_port},
};
use crate::Refusal;
use std::net::IpAddr;
use url::{Host, Url};

/// A URL that may be asked as far as its text goes. What its name leads to is looked at when it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    port: u16,
}

impl Target {
    /// # Errors
    /// When the text is not such a URL, or the policy closes its host or port.
    pub fn read(text: &str, policy: &Policy) -> Result<Self, Refusal> {
        plain(text)?;
        Self::checked(Url::parse(text).map_err(|error| Refusal::Malformed(error.to_string()))?, policy)
    }

    /// Where a redirect leads to, seen from here.
    pub(crate) fn follow(&self, location: &str, policy: &Policy) -> Result<Self, Refusal> {
        plain(location)?;
        let url = self.url.join(location).map_err(|error| Refusal::Malformed(error.to_string()))?;
        if self.is_secure() && url.scheme() == "http" {
            return Err(Refusal::Downgrade);
        }
        Self::checked(url, policy)
    }

    /// The target of a tunnel: a host and a port, as a proxy is asked for it.
    pub(crate) fn tunnel(authority: &str, policy: &Policy) -> Result<Self, Refusal> {
        let given = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if !given || authority.contains(['/', '?', '#']) {
            return Err(Refusal::Malformed(
                "a tunnel needs a host and a port, such as example.com:443".to_owned(),
            ));
        }
        Self::read(&format!("https://{authority}/"), policy)
    }

    fn checked(mut url: Url, policy: &Policy) -> Result<Self, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Credentials);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let host = url.host_str().unwrap_or_default().to_owned();
        if canonical(&host).is_empty() {
            return Err(Refusal::Malformed("it has no host".to_owned()));
        }
        policy.check(&url)?;
        if !policy.is_private_host(&host, port) {
            if !is_web_port(port) {
                return Err(Refusal::Port(port));
            }
            if matches!(url.host(), Some(Host::Domain(_))) && is_at_home(&canonical(&host)) {
                return Err(Refusal::HomeName(host));
            }
        }
        url.set_fragment(None);
        Ok(Self { url, port })
    }

    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(crate) fn literal(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
            Host::Domain(_) => None,
        }
    }

    pub(crate) fn same_origin(&self, other: &Self) -> bool {
        self.url.origin() == other.url.origin()
    }
}

/// THREAT[ssrf-01]: the URL standard drops tabs and line breaks, turns backslashes into slashes and looks for the host
/// behind the last `@`. All of it is lawful and all of it shows a person something else than what is asked; so a text
/// that needs it is refused instead of repaired.
fn plain(text: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\' || is_invisible(c);
    if let Some(found) = text.chars().find(|&c| odd(c)) {
        let shown: String = found.escape_unicode().collect();
        return Err(Refusal::Malformed(format!(
            "it contains the character {shown}; write it percent-encoded"
        )));
    }
    let rest = text.split_once("//").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') && text.find("//").is_some_and(|at| at <= text.find(['?', '#']).unwrap_or(at))
    {
        return Err(Refusal::Credentials);
    }
    Ok(())
}

/// Characters that turn or hide text.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

//! `[server]`: where to listen, and under which names.

use super::{
    raw::{Raw, wrong},
    setting::{Origin, Setting, ShownSetting},
};
use crate::error::{Result, advised};
use hyper::Uri;
use server::ProxyNetwork;
use std::net::{Ipv4Addr, SocketAddr};

pub const SECTION: &str = "server";
pub const KEYS: &[&str] = &["bind", "public_url", "hosts", "allow_insecure_http", "proxies"];

const USUAL_BIND: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7777);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub bind: Setting<SocketAddr>,
    pub public_url: Option<Setting<String>>,
    /// Further names to answer to.
    pub hosts: Setting<Vec<String>>,
    pub allow_insecure_http: Setting<bool>,
    /// The proxies that are believed when they say where a request comes from.
    pub proxies: Setting<Vec<ProxyNetwork>>,
}

impl Server {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let bind = match raw.text(SECTION, "bind")? {
            Some(Setting { value, origin }) => {
                let value =
                    parse_bind(&value).map_err(|problem| wrong(&origin, SECTION, "bind", &problem))?;
                Setting { value, origin }
            }
            None => Setting::default(USUAL_BIND),
        };
        let public_url = raw.text(SECTION, "public_url")?.filter(|url| !url.value.trim().is_empty());
        if let Some(url) = &public_url {
            check_url(&url.value).map_err(|problem| wrong(&url.origin, SECTION, "public_url", problem))?;
        }
        let hosts = raw.list(SECTION, "hosts")?.unwrap_or_else(|| Setting::default(Vec::new()));
        if let Some(host) = hosts.value.iter().find(|host| !is_host(host)) {
            let problem = format!(
                "has `{host}`, which is not a host name; write only names, without http:// or a path"
            );
            return Err(wrong(&hosts.origin, SECTION, "hosts", &problem));
        }
        let allow_insecure_http =
            raw.boolean(SECTION, "allow_insecure_http")?.unwrap_or_else(|| Setting::default(false));
        let proxies = read_proxies(raw)?;
        Ok(Self { bind, public_url, hosts, allow_insecure_http, proxies })
    }

    /// The address of the command line wins over everything else.
    pub fn with_bind(mut self, flag: Option<&str>) -> Result<Self> {
        if let Some(text) = flag {
            let value = parse_bind(text).map_err(|problem| {
                advised(format!("--bind {problem}."), "Write for instance: --bind 127.0.0.1:7777")
            })?;
            self.bind = Setting { value, origin: Origin::Flag("--bind") };
        }
        Ok(self)
    }

    /// Passwords and keys must not cross a network in the clear unless the owner said that they may.
    pub fn check_exposure(&self) -> Result<()> {
        let bind = self.bind.value;
        let is_encrypted = self.public_url.as_ref().is_some_and(|url| url.value.starts_with("https://"));
        if bind.ip().to_canonical().is_loopback() || is_encrypted || self.allow_insecure_http.value {
            return Ok(());
        }
        Err(advised(
            format!(
                "{}: server.bind {bind} can be reached from other machines, and everything would be sent over the network unencrypted.",
                self.bind.origin
            ),
            "Put a reverse proxy with TLS in front and set server.public_url = \"https://…\", or set server.bind to 127.0.0.1, \
             or accept the risk with server.allow_insecure_http = true.",
        ))
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let none = Setting::default(());
        vec![
            self.bind.shown("server.bind", self.bind.value.to_string()),
            self.public_url.as_ref().map_or_else(
                || none.shown("server.public_url", "none"),
                |url| url.shown("server.public_url", &url.value),
            ),
            self.hosts.shown("server.hosts", format!("[{}]", self.hosts.value.join(", "))),
            self.allow_insecure_http
                .shown("server.allow_insecure_http", self.allow_insecure_http.value.to_string()),
            self.proxies.shown("server.proxies", format!("[{}]", listed(&self.proxies.value))),
        ]
    }
}

fn read_proxies(raw: &mut Raw) -> Result<Setting<Vec<ProxyNetwork>>> {
    let Some(Setting { value, origin }) = raw.list(SECTION, "proxies")? else {
        return Ok(Setting::default(ProxyNetwork::LOOPBACK.to_vec()));
    };
    let parse = |text: &String| {
        text.parse()
            .map_err(|problem| wrong(&origin, SECTION, "proxies", &format!("has `{text}`, which {problem}")))
    };
    let value = value.iter().map(parse).collect::<Result<_>>()?;
    Ok(Setting { value, origin })
}

fn listed(networks: &[ProxyNetwork]) -> String {
    networks.iter().map(ProxyNetwork::to_string).collect::<Vec<_>>().join(", ")
}

fn parse_bind(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    text.parse().map_err(|_| {
        format!("must be an address and a port, for instance 127.0.0.1:7777 or [::1]:7777, not `{text}`")
    })
}

fn check_url(url: &str) -> Result<(), &'static str> {
    const FORM: &str = "must be an address such as https://home.example or https://home.example/majordomo";
    let parsed: Uri = url.trim().parse().map_err(|_| FORM)?;
    let is_web = matches!(parsed.scheme_str(), Some("http" | "https"));
    let host = parsed.authority().map(|authority| authority.as_str()).unwrap_or_default();
    if !is_web || host.is_empty() {
        return Err(FORM);
    }
    if host.contains('@') || parsed.query().is_some() || url.contains('#') {
        return Err("must have no user name, query or fragment");
    }
    Ok(())
}

fn is_host(host: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    !host.is_empty() && host.chars().all(plain)
}

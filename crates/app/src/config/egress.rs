//! `[egress]`: what tools may reach besides the internet.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use sandbox::egress::PrivateHost;

pub const SECTION: &str = "egress";
pub const KEYS: &[&str] = &["private_hosts"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Egress {
    /// Hosts at home that agents may ask for, each with its port.
    pub private_hosts: Setting<Vec<PrivateHost>>,
}

impl Egress {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let Some(Setting { value, origin }) = raw.list(SECTION, "private_hosts")? else {
            return Ok(Self { private_hosts: Setting::default(Vec::new()) });
        };
        let read = value.iter().map(|written| {
            host(written.trim()).ok_or_else(|| {
                let problem =
                    format!("has `{written}`, which must be a host with its port, such as printer.lan:80");
                wrong(&origin, SECTION, "private_hosts", &problem)
            })
        });
        let value = read.collect::<Result<Vec<_>>>()?;
        Ok(Self { private_hosts: Setting { value, origin } })
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let hosts = self.private_hosts.value.iter().map(|home| format!("{}:{}", home.host, home.port));
        let hosts: Vec<String> = hosts.collect();
        let words = if hosts.is_empty() { "none".to_owned() } else { hosts.join(", ") };
        vec![self.private_hosts.shown("egress.private_hosts", words)]
    }
}

fn host(written: &str) -> Option<PrivateHost> {
    let (host, port) = written.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some(PrivateHost { host: host.parse().ok()?, port: port.parse().ok().filter(|port| *port > 0)? })
}

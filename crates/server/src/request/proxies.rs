//! The proxies that are believed when they say where a request comes from.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// An address, or all addresses that begin with these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork {
    address: IpAddr,
    bits: u32,
}

impl ProxyNetwork {
    /// This machine.
    pub const LOOPBACK: [Self; 2] = [
        Self { address: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), bits: 8 },
        Self { address: IpAddr::V6(Ipv6Addr::LOCALHOST), bits: 128 },
    ];

    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.checked_shr(32 - self.bits).is_none_or(|begins| begins == 0)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.checked_shr(128 - self.bits).is_none_or(|begins| begins == 0)
            }
            _ => false,
        }
    }
}

/// As `192.0.2.7`, `172.16.0.0/12` or `fd00::/8`.
impl FromStr for ProxyNetwork {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "is no address and no network such as 172.16.0.0/12";
        let (address, bits) = text.trim().split_once('/').map_or((text.trim(), None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse::<IpAddr>().map_err(|_| FORM)?.to_canonical();
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(longest), str::parse).map_err(|_| FORM)?;
        // Everybody would be believed: that is never what is meant.
        if bits == 0 || bits > longest {
            return Err("has no network of this size");
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for ProxyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = if self.address.is_ipv4() { 32 } else { 128 };
        match self.bits == longest {
            true => write!(f, "{}", self.address),
            false => write!(f, "{}/{}", self.address, self.bits),
        }
    }
}

#[cfg(test)]
#[path = "proxies_tests.rs"]
mod tests;

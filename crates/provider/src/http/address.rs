//! What an address tells: how to show it, and whether it is at home.

use reqwest::Url;
use std::net::IpAddr;

/// The address without user name, password and query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return url.origin().ascii_serialization();
    }
    url.set_query(None);
    url.as_str().trim_end_matches('/').to_owned()
}

/// Loopback, private ranges, and names that only exist at home.
pub(crate) fn is_private(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse::<IpAddr>() {
        return is_private_address(address);
    }
    const HOME: [&str; 6] = [".localhost", ".local", ".lan", ".internal", ".home.arpa", ".home"];
    !host.contains('.') || HOME.iter().any(|end| host.ends_with(end))
}

fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified(),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private_address(IpAddr::V4(v4)),
            None => {
                v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified()
            }
        },
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

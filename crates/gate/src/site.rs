//! Where a call goes that tells its host no more than an address.

use url::Url;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub host: String,
    /// The person typed the address, or the search service returned it: no model made it (`crates/prompt/src/label/known_addresses.rs`).
    pub known: bool,
}

/// The host of an address as rules spell it: with its port where it is not the usual one.
pub fn host(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    match (host.is_empty(), url.port()) {
        (true, _) => None,
        (false, Some(port)) => Some(format!("{host}:{port}")),
        (false, None) => Some(host),
    }
}

#[cfg(test)]
#[path = "site_tests.rs"]
mod tests;

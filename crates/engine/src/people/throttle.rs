//! How often one may try to prove who one is: per account and per address.
//!
//! THREAT[login-03] Passwords are guessed by trying. An account is counted by the name that was given, whether anybody
//! has it or not, so that the limit tells nothing about who lives here.

use crate::error::{Error, Result};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use std::{
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};

/// At once, and then as many again in a minute.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const PER_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
/// More remembered names or addresses than this are looked through for those that no longer matter.
const REMEMBERED: usize = 4_096;

pub(crate) struct Throttle {
    accounts: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            accounts: RateLimiter::keyed(Quota::per_minute(PER_ACCOUNT)),
            addresses: RateLimiter::keyed(Quota::per_minute(PER_ADDRESS)),
        }
    }
}

impl Throttle {
    /// The address first: who floods is stopped before they use up other people's accounts.
    pub(crate) fn check(&self, account: &str, address: Option<IpAddr>) -> Result<()> {
        self.check_address(address)?;
        allow(&self.accounts, &account.to_lowercase())
    }

    pub(crate) fn check_address(&self, address: Option<IpAddr>) -> Result<()> {
        address.map_or(Ok(()), |address| allow(&self.addresses, &counted(address)))
    }
}

fn allow<K: Clone + Eq + Hash>(limiter: &DefaultKeyedRateLimiter<K>, key: &K) -> Result<()> {
    if limiter.len() > REMEMBERED {
        limiter.retain_recent();
    }
    let Err(refused) = limiter.check_key(key) else { return Ok(()) };
    let wait = refused.wait_time_from(limiter.clock().now()).as_secs().saturating_add(1);
    let seconds = u32::try_from(wait).unwrap_or(u32::MAX);
    let detail = format!("that was tried too often; try again in {seconds} seconds");
    Err(Error::TooMany { code: "too_many_attempts", detail, seconds })
}

/// One customer of a provider has a whole /64 of the new addresses.
fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
#[path = "throttle_tests.rs"]
mod tests;

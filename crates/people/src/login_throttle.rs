//! How often one may try to prove who one is.
//!
//! THREAT[login-03] Passwords are guessed by trying. A name is counted as it was given, whether anybody has it or not, so
//! that the limit tells nothing about who lives here.
//!
//! THREAT[login-06] Who keeps trying wrong passwords for a name must not keep its person out. A name is therefore
//! counted for each address apart, all strangers together have a limit that only many of them reach, and a browser or an
//! address from which the person has signed in before is counted by itself.

use crate::error::{Error, Result};
use domain::UserId;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use std::{
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};

/// At once, and then as many again in a minute: of one name from one place, of one address whatever the name, and of one
/// name wherever it is tried.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const PER_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
const PER_NAME: NonZeroU32 = NonZeroU32::MIN.saturating_add(119);
/// More remembered names or addresses than this are looked through for those that no longer matter.
const REMEMBERED: usize = 4_096;

pub(crate) struct Throttle {
    /// A name and an address, a known place, or a person who is in already.
    accounts: DefaultKeyedRateLimiter<(String, String)>,
    names: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            accounts: RateLimiter::keyed(Quota::per_minute(PER_ACCOUNT)),
            names: RateLimiter::keyed(Quota::per_minute(PER_NAME)),
            addresses: RateLimiter::keyed(Quota::per_minute(PER_ADDRESS)),
        }
    }
}

impl Throttle {
    /// A stranger. The address first: who floods is stopped before they use up what others may try.
    pub(crate) fn check(&self, name: &str, address: Option<IpAddr>) -> Result<()> {
        self.check_address(address)?;
        let name = name.to_lowercase();
        let from = address.map_or_else(String::new, |address| network_of(address).to_string());
        allow(&self.accounts, &(name.clone(), from))?;
        allow(&self.names, &name)
    }

    /// A person at a place from which the person of this name has signed in before.
    pub(crate) fn check_known(&self, name: &str, place: &str) -> Result<()> {
        allow(&self.accounts, &(name.to_lowercase(), format!("known {place}")))
    }

    /// A person who is in already, and proves it once more.
    pub(crate) fn check_person(&self, user: UserId, address: Option<IpAddr>) -> Result<()> {
        self.check_address(address)?;
        allow(&self.accounts, &(user.to_string(), String::new()))
    }

    pub(crate) fn check_address(&self, address: Option<IpAddr>) -> Result<()> {
        address.map_or(Ok(()), |address| allow(&self.addresses, &network_of(address)))
    }
}

fn allow<K: Clone + Eq + Hash>(limiter: &DefaultKeyedRateLimiter<K>, key: &K) -> Result<()> {
    if limiter.len() > REMEMBERED {
        limiter.retain_recent();
    }
    let Err(refused) = limiter.check_key(key) else { return Ok(()) };
    let wait = refused.wait_time_from(limiter.clock().now()).as_secs().saturating_add(1);
    let seconds = u32::try_from(wait).unwrap_or(u32::MAX);
    let detail = format!("Too many attempts. Try again in {seconds} seconds.");
    Err(Error::TooMany { code: "too_many_attempts", detail, seconds })
}

/// The address that stands for everybody who can have this one: one customer of a provider has a whole /64 of the new
/// addresses.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
#[path = "login_throttle_tests.rs"]
mod tests;

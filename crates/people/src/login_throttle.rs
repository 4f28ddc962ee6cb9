//! How often one may try to prove who one is.
//!
//! THREAT[login-03] Passwords are guessed by trying. A name is counted as it was given, whether anybody has it or not, so
//! that the limit tells nothing about who lives here.
//!
//! THREAT[login-06] Who keeps trying wrong passwords for a name must not keep its person out. A name is therefore
//! counted for each address apart, all strangers together have a limit that only many of them reach, and a browser or an
//! address from which the person has signed in before is counted by itself. So is a person who is in already, and the holder of a
//! link that counts: strangers behind the same address use up nothing of theirs.

use crate::{
    People,
    error::{Error, Result},
};
use domain::UserId;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
};
use store::{Tx, attempts};

/// At once, and then as many again in a minute: of one name from one place, of one address whatever the name, and of one
/// name wherever it is tried.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const PER_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
const PER_NAME: NonZeroU32 = NonZeroU32::MIN.saturating_add(119);
/// More remembered names or addresses than this are looked through for those that no longer matter.
const REMEMBERED: usize = 4_096;

/// What is tried, and from where.
#[derive(Clone, Copy)]
pub(crate) enum SignInAttempt<'a> {
    /// By a stranger.
    Login { name: &'a str, address: Option<IpAddr> },
    /// By a person at a place from which the person of this name has signed in before.
    Known { name: &'a str, place: &'a str },
    /// By a person who is in already, and proves it once more.
    Person { user: UserId },
    /// With a secret that names no account.
    Link { address: Option<IpAddr> },
    /// With the secret of a link that counts. There are few of those, so there are few names to remember.
    KnownLink { name: &'a str },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    /// A name and an address, a known place, a person who is in already, or a link.
    Account,
    Name,
    Address,
}

impl Counter {
    const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Name => "name",
            Self::Address => "address",
        }
    }

    const fn per_minute(self) -> NonZeroU32 {
        match self {
            Self::Account => PER_ACCOUNT,
            Self::Name => PER_NAME,
            Self::Address => PER_ADDRESS,
        }
    }
}

impl SignInAttempt<'_> {
    /// What it counts as, the address first: who floods is stopped before they use up what others may try.
    fn counted(self) -> Vec<(Counter, String)> {
        let network = |address: Option<IpAddr>| address.map(|address| network_of(address).to_string());
        let of_address =
            |address: Option<IpAddr>| network(address).map(|network| (Counter::Address, network)).into_iter();
        match self {
            Self::Login { name, address } => {
                let name = name.to_lowercase();
                let account = format!("{name}\n{}", network(address).unwrap_or_default());
                of_address(address).chain([(Counter::Account, account), (Counter::Name, name)]).collect()
            }
            Self::Known { name, place } => {
                vec![(Counter::Account, format!("{}\nknown {place}", name.to_lowercase()))]
            }
            Self::Person { user } => vec![(Counter::Account, user.to_string())],
            Self::Link { address } => of_address(address).collect(),
            Self::KnownLink { name } => vec![(Counter::Account, format!("link {name}"))],
        }
    }
}

/// What was tried here. Where other nodes are at work, it is the first filter: only what passes it is written down for all of them.
pub(crate) struct Throttle {
    accounts: DefaultKeyedRateLimiter<String>,
    names: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<String>,
}

impl Default for Throttle {
    fn default() -> Self {
        let limiter = |counter: Counter| RateLimiter::keyed(Quota::per_minute(counter.per_minute()));
        Self {
            accounts: limiter(Counter::Account),
            names: limiter(Counter::Name),
            addresses: limiter(Counter::Address),
        }
    }
}

impl Throttle {
    pub(crate) fn check(&self, attempt: SignInAttempt<'_>) -> Result<()> {
        attempt.counted().iter().try_for_each(|(counter, key)| {
            let limiter = match counter {
                Counter::Account => &self.accounts,
                Counter::Name => &self.names,
                Counter::Address => &self.addresses,
            };
            allow(limiter, key)
        })
    }
}

impl People {
    /// Counts an attempt, for all nodes together where there are several; refuses one too many.
    pub(crate) async fn throttle(&self, attempt: SignInAttempt<'_>) -> Result<()> {
        self.inner.throttle.check(attempt)?;
        if !self.inner.other_nodes.has_others() {
            return Ok(());
        }
        let (counted, vault) = (attempt.counted(), self.store().vault().clone());
        let now = self.store().database_time(self.now());
        let write = move |tx: &mut Tx| {
            for (counter, key) in &counted {
                let (name, most) = (counter.name(), counter.per_minute().get());
                if let Some(wait_ms) = attempts::take(tx, &vault, (name, key), most, now)? {
                    return Ok(Some(wait_ms));
                }
            }
            Ok(None)
        };
        match self.store().write(write).await? {
            Some(wait_ms) => Err(too_many(u64::try_from(wait_ms).unwrap_or_default() / 1_000)),
            None => Ok(()),
        }
    }

    /// Counts a try of a link. Where too many were tried at this address, `known` looks for the name of the link: one that counts
    /// is counted by itself.
    pub(crate) async fn throttle_link(
        &self,
        address: Option<IpAddr>,
        known: impl Future<Output = Result<Option<String>>>,
    ) -> Result<()> {
        match self.throttle(SignInAttempt::Link { address }).await {
            Err(refused @ Error::TooMany { .. }) => {
                let name = known.await?.ok_or(refused)?;
                self.throttle(SignInAttempt::KnownLink { name: &name }).await
            }
            counted => counted,
        }
    }
}

fn allow(limiter: &DefaultKeyedRateLimiter<String>, key: &String) -> Result<()> {
    if limiter.len() > REMEMBERED {
        limiter.retain_recent();
    }
    let Err(refused) = limiter.check_key(key) else { return Ok(()) };
    Err(too_many(refused.wait_time_from(limiter.clock().now()).as_secs()))
}

fn too_many(wait: u64) -> Error {
    let seconds = u32::try_from(wait.saturating_add(1)).unwrap_or(u32::MAX);
    let detail = format!("Too many attempts. Try again in {seconds} seconds.");
    Error::TooMany { code: "too_many_attempts", detail, seconds }
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

//! From a name to the addresses that may be connected to, asked once per hop.

use super::{
    Policy, Target,
    address::{Class, class, is_this_machine},
};
use crate::{Error, Refusal};
use async_trait::async_trait;
use std::{
    io,
    net::{IpAddr, SocketAddr},
};

/// More would only be a way to make us try many hosts.
const MOST_ADDRESSES: usize = 16;

#[async_trait]
pub trait Resolver: Send + Sync {
    /// # Errors
    /// When there is no such name or no server to ask.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the way every other program on this machine asks.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// All addresses of the target, each of them looked at. One that is out of bounds closes the whole host: a name that
/// leads to the internet and home at the same time is an attack or a mistake.
pub(crate) async fn resolve(
    resolver: &dyn Resolver,
    target: &Target,
    policy: &Policy,
) -> Result<Vec<SocketAddr>, Error> {
    let host = target.host().to_owned();
    let found = match target.literal() {
        Some(address) => vec![address],
        None => {
            let found = resolver.addresses(&host).await;
            found.map_err(|error| Error::NotFound { host: host.clone(), why: error.to_string() })?
        }
    };
    if found.is_empty() {
        return Err(Error::NotFound { host, why: "it has no address".to_owned() });
    }
    let at_home = policy.is_private_host(&host, target.port());
    for &address in &found {
        check(&host, address, at_home, policy)?;
    }
    Ok(found
        .into_iter()
        .take(MOST_ADDRESSES)
        .map(|address| SocketAddr::new(address, target.port()))
        .collect())
}

fn check(host: &str, address: IpAddr, at_home: bool, policy: &Policy) -> Result<(), Refusal> {
    let host = host.to_owned();
    match class(address) {
        Class::Never(what) => Err(Refusal::NeverAddress { host, address, what }),
        Class::Private(what) if !at_home => Err(Refusal::PrivateAddress { host, address, what }),
        Class::Public
            if !at_home && (policy.own_addresses.contains(&address) || is_this_machine(address)) =>
        {
            Err(Refusal::PrivateAddress { host, address, what: "this machine" })
        }
        _ => Ok(()),
    }
}

//! Where a request comes from.

use crate::{
    app::App,
    problem::Problem,
    request::{cookie, host::Connection},
    settings::HttpSettings,
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use engine::Whence;
use std::net::IpAddr;

/// The other end of the connection; absent on the control socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) Option<IpAddr>);

impl Peer {
    /// Where people reach the house through a reverse proxy: is this one that is believed?
    pub(crate) fn is_proxy(self, settings: &HttpSettings) -> bool {
        let is_listed = |address| settings.proxies.iter().any(|network| network.contains(address));
        settings.public_url.is_some() && self.0.is_some_and(is_listed)
    }
}

/// The address that a request comes from, also where a proxy carried it.
pub(crate) fn origin(parts: &Parts, app: &App) -> Option<IpAddr> {
    let peer = parts.extensions.get::<Peer>().copied().unwrap_or(Peer(None));
    address(peer, &parts.headers, &app.settings)
}

/// Where a person who signs in comes from, and how they reach us.
pub(crate) struct Visitor {
    pub(crate) whence: Whence,
    pub(crate) connection: Connection,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let connection = parts.extensions.get::<Connection>().copied().unwrap_or_default();
        let user_agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let whence = Whence {
            address: origin(parts, app),
            user_agent: user_agent.map(str::to_owned),
            previous: cookie::read(&parts.headers, connection.secure).map(str::to_owned),
            browser: cookie::read_browser(&parts.headers, connection.secure).map(str::to_owned),
            ..Whence::default()
        };
        Ok(Self { whence, connection })
    }
}

/// Behind a reverse proxy everybody would have the proxy's address; what it saw itself is the last entry of the header, which a client
/// cannot write behind.
fn address(peer: Peer, headers: &HeaderMap, settings: &HttpSettings) -> Option<IpAddr> {
    let forwarded = || {
        let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    if peer.is_proxy(settings) { forwarded().or(peer.0) } else { peer.0 }
}

#[cfg(test)]
#[path = "peer_tests.rs"]
mod tests;

//! A fetch: hop by hop, each with all checks.

use super::{
    EgressResponse, Limits, Policy, Request, Target,
    body::ResponseBody,
    connect::{self, Connection, Dialer, SystemDialer},
    exchange::{Exchange, exchange},
    resolve::{self, Resolver, SystemResolver},
};
use crate::{Error, Refusal};
use hyper::header::LOCATION;
use rustls::RootCertStore;
use std::sync::{Arc, OnceLock};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::TlsConnector;

/// The way out. Cheap to clone; what is allowed comes with each call.
#[derive(Clone)]
pub struct Egress {
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    tls: Arc<Tls>,
}

/// Made for the first fetch that needs it: the certificates that a machine trusts are a megabyte, and most servers fetch nothing
/// for days.
struct Tls {
    /// `None`: those that this machine trusts.
    roots: Option<RootCertStore>,
    connector: OnceLock<Result<TlsConnector, rustls::Error>>,
}

impl Tls {
    fn connector(&self, target: &Target) -> Result<&TlsConnector, Error> {
        let made = self
            .connector
            .get_or_init(|| connect::tls(self.roots.clone().unwrap_or_else(connect::system_roots)));
        made.as_ref().map_err(|error| Error::Tls { host: target.host().to_owned(), why: error.to_string() })
    }
}

impl Egress {
    pub fn system() -> Self {
        Self::with(Arc::new(SystemResolver), Arc::new(SystemDialer))
    }

    /// With another way to find and reach hosts.
    pub fn with(resolver: Arc<dyn Resolver>, dialer: Arc<dyn Dialer>) -> Self {
        Self::new(None, resolver, dialer)
    }

    /// With certificates of one's own choice.
    pub fn trusting(roots: RootCertStore, resolver: Arc<dyn Resolver>, dialer: Arc<dyn Dialer>) -> Self {
        Self::new(Some(roots), resolver, dialer)
    }

    fn new(roots: Option<RootCertStore>, resolver: Arc<dyn Resolver>, dialer: Arc<dyn Dialer>) -> Self {
        Self { resolver, dialer, tls: Arc::new(Tls { roots, connector: OnceLock::new() }) }
    }

    /// Asks, follows redirects, and gives back the head of the last answer with its body still to be read.
    ///
    /// # Errors
    /// When the policy closes a hop ([`Error::Refused`]), or the server does not answer as it should.
    pub async fn fetch(
        &self,
        request: Request,
        policy: &Policy,
        limits: &Limits,
    ) -> Result<EgressResponse, Error> {
        let mut target = Target::read(&request.url, policy)?;
        let mut request = request;
        let mut passed = Vec::new();
        loop {
            let Exchange { response, pump } = self.hop(&target, &request, policy, limits).await?;
            let Some(location) = redirect(&response) else {
                let body = ResponseBody::new(response.headers(), limits);
                return Ok(EgressResponse::new(target, passed, response, pump, body));
            };
            if passed.len() >= limits.redirects {
                return Err(Refusal::TooManyRedirects(limits.redirects).into());
            }
            let next = target.follow(&location?, policy)?;
            let same_origin = next.same_origin(&target);
            request = request.redirected(response.status().as_u16(), same_origin);
            if !same_origin && !request.body.is_empty() {
                return Err(Refusal::BodyElsewhere(next.host().to_owned()).into());
            }
            passed.push(std::mem::replace(&mut target, next).url().clone());
        }
    }

    /// One request without following where it leads.
    pub(crate) async fn hop(
        &self,
        target: &Target,
        request: &Request,
        policy: &Policy,
        limits: &Limits,
    ) -> Result<Exchange, Error> {
        let connecting = async {
            let stream = self.reach(target, policy).await?;
            Ok::<Connection, Error>(match target.is_secure() {
                true => connect::secure(self.tls.connector(target)?, target, stream).await?,
                false => Box::pin(stream),
            })
        };
        let silent =
            |_| Error::Silent { host: target.host().to_owned(), seconds: limits.connect.as_secs_f32() };
        let connection = timeout(limits.connect, connecting).await.map_err(silent)??;
        exchange(connection, target, request, limits).await
    }

    /// A connection to the target, to an address that was looked at just now.
    pub(crate) async fn reach(&self, target: &Target, policy: &Policy) -> Result<TcpStream, Error> {
        let pinned = resolve::resolve(self.resolver.as_ref(), target, policy).await?;
        connect::open(self.dialer.as_ref(), target, &pinned).await
    }
}

/// Where an answer leads to; an error when it does not say so in words.
fn redirect<T>(response: &hyper::Response<T>) -> Option<Result<String, Refusal>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    let unreadable = |_| Refusal::Malformed("the address that it redirects to is not text".to_owned());
    Some(location.to_str().map(str::to_owned).map_err(unreadable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_read_when_something_is_fetched_and_once() {
        let (egress, target) =
            (Egress::system(), Target::read("https://example.com", &Policy::default()).unwrap());
        assert!(egress.tls.connector.get().is_none());
        let made = egress.tls.connector(&target).unwrap();
        assert!(std::ptr::eq(made, egress.clone().tls.connector(&target).unwrap()));
    }
}

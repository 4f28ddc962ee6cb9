//! The way out for programs in a cage: an HTTP proxy on a socket of the cage's own
//! network, with the same checks.
//!
//! A plain request is asked as any other; a tunnel (`CONNECT`) is opened to a host and port that were looked at and
//! pinned. What a tunnel carries is between the program and that host: its address is certain, the name inside TLS is not.

use super::{Egress, Limits, Policy, Request, Target};
use crate::Error;
use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::{
    Method, Response, StatusCode,
    body::Incoming,
    header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, TRANSFER_ENCODING, UPGRADE},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

const MOST_CONNECTIONS: usize = 32;
const MOST_REQUEST_BYTES: usize = 8 * 1024 * 1024;
const HEAD: Duration = Duration::from_secs(10);
const LONGEST_TUNNEL: Duration = Duration::from_secs(600);
/// Some programs, Node 24 among them, open a tunnel for plain requests as well.
const TUNNEL_PORTS: [u16; 2] = [80, 443];

type Answered = Response<Either<Full<Bytes>, Incoming>>;

struct Door {
    egress: Egress,
    policy: Policy,
    limits: Limits,
    closed: CancellationToken,
}

/// Serves until it is dropped; everything it carries ends with it.
pub async fn serve(listener: TcpListener, egress: Egress, policy: Policy, limits: Limits) {
    let closed = CancellationToken::new();
    let _closing = closed.clone().drop_guard();
    let door = Arc::new(Door { egress, policy, limits, closed });
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut guests = JoinSet::new();
    loop {
        while guests.try_join_next().is_some() {}
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else { return };
        let door = Arc::clone(&door);
        guests.spawn(async move {
            door.guest(stream).await;
            drop(permit);
        });
    }
}

impl Door {
    async fn guest(self: Arc<Self>, stream: TcpStream) {
        let service = service_fn(|request| {
            let door = Arc::clone(&self);
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let mut settings = http1::Builder::new();
        settings.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(self.limits.headers);
        let serving = settings.keep_alive(false).serve_connection(TokioIo::new(stream), service);
        drop(serving.with_upgrades().await);
    }

    async fn answer(&self, request: hyper::Request<Incoming>) -> Answered {
        let outcome = match *request.method() {
            Method::CONNECT => self.tunnel(request).await,
            _ => self.plain(request).await,
        };
        outcome.unwrap_or_else(|error| refusal(&error))
    }

    async fn tunnel(&self, request: hyper::Request<Incoming>) -> Result<Answered, Error> {
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let target = Target::tunnel(&authority, &self.policy)?;
        if !TUNNEL_PORTS.contains(&target.port())
            && !self.policy.is_private_host(target.host(), target.port())
        {
            return Err(crate::Refusal::Port(target.port()).into());
        }
        let silent =
            |_| Error::Silent { host: target.host().to_owned(), seconds: self.limits.connect.as_secs_f32() };
        let reached = timeout(self.limits.connect, self.egress.reach(&target, &self.policy)).await;
        let mut there = reached.map_err(silent)??;
        let carrying = async move {
            if let Ok(here) = hyper::upgrade::on(request).await {
                let mut here = TokioIo::new(here);
                let both = copy_bidirectional(&mut here, &mut there);
                drop(timeout(LONGEST_TUNNEL, both).await);
            }
        };
        tokio::spawn(self.closed.clone().run_until_cancelled_owned(carrying));
        Ok(Response::new(Either::Left(Full::default())))
    }

    async fn plain(&self, request: hyper::Request<Incoming>) -> Result<Answered, Error> {
        let (head, body) = request.into_parts();
        let mut asked = Request::new(head.method, head.uri.to_string()).unpacked();
        for (name, value) in head.headers.iter().filter(|(name, _)| !is_of_the_hop(name)) {
            if let Ok(with) = value.to_str().map(|value| asked.clone().header(name.as_str(), value)) {
                asked = with.unwrap_or(asked);
            }
        }
        let target = Target::read(&head.uri.to_string(), &self.policy)?;
        let too_large = |error: Box<dyn std::error::Error + Send + Sync>| Error::Protocol {
            host: target.host().to_owned(),
            why: format!("the request could not be read: {error}"),
        };
        let body = Limited::new(body, MOST_REQUEST_BYTES).collect().await.map_err(too_large)?;
        let asked = asked.body(body.to_bytes());
        let exchanged = self.egress.hop(&target, &asked, &self.policy, &self.limits).await?;
        let (mut response, pump) = (exchanged.response, exchanged.pump);
        for name in [CONNECTION, TRANSFER_ENCODING, UPGRADE] {
            response.headers_mut().remove(name);
        }
        // The connection is read for as long as the guest reads, and ends with it.
        tokio::spawn(self.closed.clone().run_until_cancelled_owned(pump.finish()));
        Ok(response.map(Either::Right))
    }
}

fn is_of_the_hop(name: &HeaderName) -> bool {
    name.as_str().starts_with("proxy-")
        || matches!(name.as_str(), "host" | "connection" | "keep-alive" | "te")
}

fn refusal(error: &Error) -> Answered {
    let status = match error {
        Error::Refused(_) => StatusCode::FORBIDDEN,
        Error::Silent { .. } => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_GATEWAY,
    };
    let mut response = Response::new(Either::Left(Full::from(format!("{error}\n"))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

//! Accepting connections, and ending them.

use crate::{
    app::{App, Door},
    connection::{head_limit::HeadLimit, patient::Patient, pipeline::Pipeline, rewrite::Prefix},
    limits_per_person::{Capacity, ConnectionPlace, Occupancy, RequestHold, crowded, kept},
    log_ring::LogRing,
    measure,
    overload::Overload,
    problem::PROBLEM_JSON,
    request::{host::Hosts, peer::Peer},
    router,
    settings::HttpSettings,
};
use axum::{body::Body, extract::Request};
use engine::{Engine, Until};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, future::poll_fn, io, pin::pin, sync::Arc, task::Poll, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Head and body pass through buffers of this size.
const BUFFER_BYTES: usize = 64 << 10;
/// Before the next try, when the system has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// For answers that say that it is too late.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The operator's own connections do not compete with those from the network.
const CONTROL_CONNECTIONS: usize = 64;
/// Connections without a place that are told so at the same time; further ones are closed without a word.
const FAREWELLS: usize = 64;

/// Serves the API on a TCP socket until `stop`, then ends streams, lets requests finish within what is left of the
/// grace, and returns when no task of it is left.
///
/// # Errors
/// When the listener has no address, or the settings name a host that is none.
pub async fn serve(
    engine: Engine,
    listener: TcpListener,
    settings: HttpSettings,
    stop: CancellationToken,
) -> io::Result<()> {
    let hosts = Hosts::new(listener.local_addr()?, &settings)?;
    let house = House::new(engine, Door::Tcp, Some(hosts), settings, stop);
    house.run(listener).await;
    Ok(())
}

/// Serves the same routes, and those of the operator, on the control socket. A person who can open it is trusted.
pub async fn serve_control(engine: Engine, listener: UnixListener, logs: LogRing, stop: CancellationToken) {
    let capacity = Capacity::unshared(CONTROL_CONNECTIONS);
    let settings = HttpSettings { capacity, logs, ..HttpSettings::default() };
    House::new(engine, Door::Control, None, settings, stop).run(listener).await;
}

/// Where connections come from.
trait Doorway {
    type Connection: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    async fn next(&self) -> io::Result<(Self::Connection, Peer)>;
}

impl Doorway for TcpListener {
    type Connection = TcpStream;

    async fn next(&self) -> io::Result<(TcpStream, Peer)> {
        let (connection, address) = self.accept().await?;
        // A token of a reply is one small packet; it must not wait for the next. Where that cannot be set, it waits.
        drop(connection.set_nodelay(true));
        Ok((connection, Peer(Some(address.ip()))))
    }
}

impl Doorway for UnixListener {
    type Connection = UnixStream;

    async fn next(&self) -> io::Result<(UnixStream, Peer)> {
        Ok((self.accept().await?.0, Peer(None)))
    }
}

struct House {
    app: App,
    occupancy: Arc<Occupancy>,
    farewells: Arc<Semaphore>,
    pipeline: Arc<Pipeline>,
    connections: TaskTracker,
    /// Connections that are still there are dropped.
    abandon: CancellationToken,
}

impl House {
    fn new(
        engine: Engine,
        door: Door,
        hosts: Option<Hosts>,
        settings: HttpSettings,
        stop: CancellationToken,
    ) -> Self {
        measure::start();
        let private = hosts.as_ref().is_none_or(Hosts::are_private);
        let prefix = Prefix::of(settings.public_url.as_deref());
        let (settings, closing) = (Arc::new(settings), CancellationToken::new());
        let occupancy = Arc::new(Occupancy::new(settings.capacity, router::largest_body(&engine)));
        let overload = Overload::new(engine.store(), &settings);
        let app = App { engine, door, private, settings, overload, stop, closing };
        let pipeline = Arc::new(Pipeline { router: router::build(&app), hosts, prefix });
        let farewells = Arc::new(Semaphore::new(FAREWELLS));
        let (connections, abandon) = (TaskTracker::new(), CancellationToken::new());
        Self { app, occupancy, farewells, pipeline, connections, abandon }
    }

    async fn run<D: Doorway>(self, doorway: D) {
        self.connections.spawn(add_up(self.app.stop.clone()));
        while let Some(next) = self.unless_stopped(doorway.next()).await {
            let (connection, peer) = match next {
                Ok(accepted) => accepted,
                // Gone before it was accepted: the next one may be there already.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    self.unless_stopped(tokio::time::sleep(ACCEPT_PAUSE)).await;
                    continue;
                }
            };
            // Behind a proxy the other end is the proxy, not the client.
            let proxied = peer.is_proxy(&self.app.settings);
            let address = peer.0.filter(|_| !proxied).map(engine::network_of);
            match self.occupancy.places.enter(address) {
                Some(place) => drop(self.connections.spawn(self.talk(connection, peer, place))),
                None => self.send_away(connection),
            }
        }
        drop(doorway);
        self.finish().await;
    }

    async fn unless_stopped<F: Future>(&self, future: F) -> Option<F::Output> {
        self.app.stop.run_until_cancelled(future).await
    }

    /// One connection, from its first request to its last.
    fn talk<S>(
        &self,
        connection: S,
        peer: Peer,
        place: Arc<ConnectionPlace>,
    ) -> impl Future<Output = ()> + Send + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (pipeline, settings) = (self.pipeline.clone(), self.app.settings.clone());
        let (stop, abandon) = (self.app.stop.clone(), self.abandon.clone());
        let (occupancy, connections) = (self.occupancy.clone(), self.connections.clone());
        async move {
            let (leave, gone) = (place.leave().clone(), abandon.clone());
            let connection = HeadLimit::new(connection, place.clone(), settings.header_timeout);
            let service = service_fn(move |mut request: Request<Incoming>| {
                let pipeline = pipeline.clone();
                let request_hold =
                    RequestHold::new(occupancy.clone(), &place, connections.token(), gone.clone());
                request.extensions_mut().insert(peer);
                request.extensions_mut().insert(request_hold.clone());
                // The connection has room for it for as long as it lives, also while it only sends a stream.
                Box::pin(async move {
                    let response = pipeline.answer(request.map(Body::new)).await;
                    Ok::<_, Infallible>(response.map(|body| kept(body, request_hold)))
                })
            });
            let io = TokioIo::new(Patient::new(connection, settings.write_timeout));
            let mut connection = pin!(
                http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(settings.idle_timeout)
                    .max_buf_size(BUFFER_BYTES)
                    .max_header_size(BUFFER_BYTES)
                    .serve_connection(io, service)
                    .with_upgrades()
            );
            let (mut leaves, mut stops) = (Until::new(leave), Until::new(stop));
            let ended = poll_fn(|context| {
                if let Poll::Ready(ended) = connection.as_mut().poll(context) {
                    return Poll::Ready(Some(ended));
                }
                if leaves.poll(context).is_ready() {
                    return Poll::Ready(Some(Ok(())));
                }
                stops.poll(context).map(|()| None)
            })
            .await;
            let ended = match ended {
                Some(ended) => Some(ended),
                None => {
                    connection.as_mut().graceful_shutdown();
                    abandon.run_until_cancelled(connection).await
                }
            };
            if let Some(Err(error)) = ended {
                tracing::debug!(%error, "a connection broke");
            }
        }
    }

    /// Says that there is no place, and waits a moment for the request, which would undo the answer if it came later.
    fn send_away<S>(&self, mut connection: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(permit) = self.farewells.clone().try_acquire_owned() else { return };
        let body = crowded().body().to_string();
        let answer = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: {PROBLEM_JSON}\r\nretry-after: 2\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        self.connections.spawn(async move {
            let parting = async {
                let mut head = [0; 4_096];
                // However much of it has come: nothing of it is looked at.
                let _read = connection.read(&mut head).await?;
                connection.write_all(answer.as_bytes()).await?;
                connection.shutdown().await
            };
            // A client that does not take the answer goes without.
            drop(tokio::time::timeout(LAST_WORDS, parting).await);
            drop(permit);
        });
    }

    async fn finish(&self) {
        self.connections.close();
        let left = self.app.settings.grace.saturating_sub(self.app.engine.going_down_for());
        if self.gone_within(left).await {
            return;
        }
        self.app.closing.cancel();
        if self.gone_within(LAST_WORDS).await {
            return;
        }
        self.abandon.cancel();
        self.connections.wait().await;
    }

    async fn gone_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.connections.wait()).await.is_ok()
    }
}

/// Measurements are added up even if no one ever asks for them.
async fn add_up(stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(measure::UPKEEP)).await.is_some() {
        measure::upkeep();
    }
}

//! Accepting connections, and ending them.

use crate::{
    app::{App, Door},
    host::Hosts,
    log_ring::LogRing,
    measure,
    patient::Patient,
    peer::Peer,
    pipeline::Pipeline,
    rewrite::Prefix,
    router,
    settings::HttpSettings,
};
use axum::{body::Body, extract::Request};
use engine::Engine;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

/// Head and body pass through buffers of this size.
const BUFFER_BYTES: usize = 64 << 10;
/// Before the next try, when the system has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// For answers that say that it is too late.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The operator's own connections do not compete with those from the network.
const CONTROL_CONNECTIONS: usize = 64;

/// Serves the API on a TCP socket until `stop`, then ends streams, lets requests finish within the grace, and returns
/// when no task of it is left.
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

/// Serves the same routes, and those of the operator, on the control socket. Whoever can open it is trusted.
pub async fn serve_control(engine: Engine, listener: UnixListener, logs: LogRing, stop: CancellationToken) {
    let settings = HttpSettings { max_connections: CONTROL_CONNECTIONS, logs, ..HttpSettings::default() };
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

/// What a connection holds while it lasts: one of the places, and the end of the server. A request that outlives its
/// connection's HTTP, as a WebSocket does, keeps it.
#[derive(Clone)]
pub(crate) struct Seat {
    _place: Arc<OwnedSemaphorePermit>,
    _token: TaskTrackerToken,
    /// Whoever is still there is dropped.
    pub(crate) abandon: CancellationToken,
}

struct House {
    app: App,
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
        let app = App { engine, door, private, settings, stop, closing };
        let pipeline = Arc::new(Pipeline { router: router::build(&app), hosts, prefix });
        Self { app, pipeline, connections: TaskTracker::new(), abandon: CancellationToken::new() }
    }

    async fn run<D: Doorway>(self, doorway: D) {
        self.connections.spawn(add_up(self.app.stop.clone()));
        let places = Arc::new(Semaphore::new(self.app.settings.max_connections));
        while let Some(Ok(place)) = self.unless_stopped(places.clone().acquire_owned()).await {
            let (connection, peer) = match self.unless_stopped(doorway.next()).await {
                None => break,
                Some(Ok(accepted)) => accepted,
                // Gone before it was accepted: the next one may be there already.
                Some(Err(error)) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Some(Err(error)) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    self.unless_stopped(tokio::time::sleep(ACCEPT_PAUSE)).await;
                    continue;
                }
            };
            let seat = Seat {
                _place: Arc::new(place),
                _token: self.connections.token(),
                abandon: self.abandon.clone(),
            };
            self.connections.spawn(self.talk(connection, peer, seat));
        }
        drop(doorway);
        self.finish().await;
    }

    async fn unless_stopped<F: Future>(&self, future: F) -> Option<F::Output> {
        self.app.stop.run_until_cancelled(future).await
    }

    /// One connection, from its first request to its last.
    fn talk<S>(&self, connection: S, peer: Peer, seat: Seat) -> impl Future<Output = ()> + Send + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (pipeline, settings) = (self.pipeline.clone(), self.app.settings.clone());
        let (stop, abandon) = (self.app.stop.clone(), self.abandon.clone());
        async move {
            let service = service_fn(move |mut request: Request<Incoming>| {
                let pipeline = pipeline.clone();
                request.extensions_mut().insert(peer);
                request.extensions_mut().insert(seat.clone());
                async move { Ok::<_, Infallible>(pipeline.answer(request.map(Body::new)).await) }
            });
            let io = TokioIo::new(Patient::new(connection, settings.write_timeout));
            let mut connection = pin!(
                http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(settings.header_timeout)
                    .max_buf_size(BUFFER_BYTES)
                    .max_header_size(BUFFER_BYTES)
                    .serve_connection(io, service)
                    .with_upgrades()
            );
            let ended = tokio::select! {
                ended = connection.as_mut() => Some(ended),
                () = stop.cancelled() => None,
            };
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

    async fn finish(&self) {
        self.connections.close();
        if self.gone_within(self.app.settings.grace).await {
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

/// Measurements are added up even if nobody ever asks for them.
async fn add_up(stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(measure::UPKEEP)).await.is_some() {
        measure::upkeep();
    }
}

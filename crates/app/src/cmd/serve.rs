//! `majordomo serve`: runs until it is told to stop.

use crate::{
    assemble::{Assembled, Patience, Stay, assemble},
    audit_note,
    cmd::{greeting, setup_link},
    context::Context,
    control, descriptors,
    error::{Error, Result, advised},
    listening, lock, node_place,
};
use server::{Capacity, HttpSettings};
use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// Five seconds in all: as long as requests have, and after that the server tells those who are still there for a second.
const PATIENCE: Patience = Patience { turns: Duration::from_secs(4), last_words: Duration::from_millis(100) };

pub async fn run(mut context: Context, bind: Option<&str>) -> Result<()> {
    context.config.server = context.config.server.with_bind(bind)?;
    context.config.server.check_exposure()?;
    context.data.create()?;
    // Before anything is started, so that a signal in the first moment ends the program in order.
    let mut signals = ProcessSignals::new()?;
    let lock = lock::take(&context.data)?;
    let listener = listen(context.config.server.bind.value).await?;
    let address = listener.local_addr().map_err(Error::disconnected)?;
    let mut assembled = assemble(&context, &lock, Stay::Long).await?;
    let stop = CancellationToken::new();
    let doors = open_doors(&context, &assembled, listener, &stop)?;
    listening::say(&context.data, address);
    // It ends with `stop`.
    drop(audit_note::keep(assembled.engine.store().clone(), context.data.clone(), stop.clone()));
    let base = setup_link::base(&context, address);
    let link = setup_link::renew(&context, &assembled.engine, &base).await?;
    greeting::announce(&context, &assembled.engine, address, link.as_deref()).await?;
    let keeper =
        link.map(|_| setup_link::keep(context.clone(), assembled.engine.clone(), base, stop.clone()));
    let engine = assembled.engine.clone();
    let discovered = async {
        assembled.discovered().await;
        greeting::announce_model(&context, &assembled.models)
    };
    let outcome = tokio::select! {
        biased;
        name = signals.next() => { tracing::info!(signal = name, "stopping"); Ok(true) }
        () = engine.superseded() => Err(node_place::superseded(&context.data)),
        done = discovered => done.map(|()| false),
    };
    let outcome = match outcome {
        Ok(false) => tokio::select! {
            name = signals.next() => { tracing::info!(signal = name, "stopping"); Ok(true) }
            () = engine.superseded() => Err(node_place::superseded(&context.data)),
        },
        known => known,
    };
    tokio::spawn(async move {
        signals.next().await;
        tracing::warn!("stopped at once; running replies continue at the next start");
        std::process::exit(1);
    });
    close(context, assembled, doors, &stop).await;
    if let Some(keeper) = keeper {
        // It ends with `stop`; whether it ended well it has said itself.
        drop(keeper.await);
    }
    drop(lock);
    outcome.map(drop)
}

async fn close(context: Context, assembled: Assembled, doors: [JoinHandle<()>; 2], stop: &CancellationToken) {
    assembled.stop(PATIENCE, stop, doors).await;
    listening::hush(&context.data);
    // Still under the lock: no other process can have put its own there.
    if let Err(error) = std::fs::remove_file(context.data.socket()) {
        tracing::debug!(%error, "the control socket was gone already");
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => advised(
            format!("Another program already uses {address}."),
            format!(
                "Stop that program, or choose another port (--bind {}:0 takes any free port).",
                shown_ip(address)
            ),
        ),
        io::ErrorKind::PermissionDenied => advised(
            format!("The server may not listen on {address}: {error}."),
            "Choose a port above 1023, for instance: --bind 127.0.0.1:7777",
        ),
        _ => advised(
            format!("The server cannot listen on {address}: {error}."),
            "Choose an address of this machine, for instance: --bind 127.0.0.1:7777",
        ),
    })
}

fn shown_ip(address: SocketAddr) -> String {
    if address.is_ipv6() { format!("[{}]", address.ip()) } else { address.ip().to_string() }
}

fn open_doors(
    context: &Context,
    assembled: &Assembled,
    listener: TcpListener,
    stop: &CancellationToken,
) -> Result<[JoinHandle<()>; 2]> {
    let socket = control::listen(&context.data)?;
    let settings = HttpSettings {
        hosts: context.config.server.hosts.value.clone(),
        public_url: context.config.server.public_url.as_ref().map(|url| url.value.trim().to_owned()),
        proxies: context.config.server.proxies.value.clone(),
        capacity: capacity(context),
        logs: context.logs.clone(),
        ..HttpSettings::default()
    };
    let web = server::serve(assembled.engine.clone(), listener, settings, stop.clone());
    let control = server::serve_control(assembled.engine.clone(), socket, context.logs.clone(), stop.clone());
    Ok([
        tokio::spawn(async move {
            if let Err(error) = web.await {
                tracing::error!(%error, "stopped serving");
            }
        }),
        tokio::spawn(control),
    ])
}

/// As much as was set, where this machine allows it.
fn capacity(context: &Context) -> Capacity {
    let wanted = context.config.connections.capacity();
    let needed = wanted.descriptors();
    let allowed = descriptors::raise(needed);
    if allowed < needed {
        tracing::warn!(
            allowed,
            needed,
            connections = wanted.within(allowed).connections,
            "the system allows fewer open files than connections.total needs, so the server accepts fewer connections; \
             raise LimitNOFILE= in the systemd unit, or ulimit -n"
        );
    }
    wanted.within(allowed)
}

struct ProcessSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl ProcessSignals {
    fn new() -> Result<Self> {
        let install = |kind| {
            signal(kind).map_err(|error| {
                advised(
                    format!("The program cannot listen for signals: {error}."),
                    "Check the limits of this system.",
                )
            })
        };
        Ok(Self {
            terminate: install(SignalKind::terminate())?,
            interrupt: install(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

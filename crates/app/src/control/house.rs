//! A server to talk to: the one that runs, or one of our own for as long as the command lasts.

use super::{
    client::{Client, Request},
    listen::listen,
};
use crate::{
    assemble::{Assembled, Patience, Stay, assemble},
    context::Context,
    error::{Result, advised},
    lock::{self, Attempt, Lock, Purpose},
};
use std::time::Duration;
use tokio::{task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

/// How long a server may take from its lock to its socket.
const STARTING: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Waiting longer than this is said aloud.
const SILENT: Duration = Duration::from_secs(1);
/// How long a server that has gone may take to come back.
const RETURNING: Duration = Duration::from_secs(30);
/// A client that is still connected takes the work over, so none is waited for.
const PATIENCE: Patience = Patience { turns: Duration::from_secs(5), last_words: Duration::ZERO };

pub struct House {
    pub client: Client,
    /// Present when no server ran and this process does the work.
    own: Option<Own>,
}

struct Own {
    assembled: Assembled,
    stop: CancellationToken,
    control: JoinHandle<()>,
    socket: std::path::PathBuf,
    lock: Lock,
}

impl House {
    /// Waits until every provider has been asked, if this process does the asking.
    pub async fn discovered(&mut self) {
        if let Some(own) = &mut self.own {
            own.assembled.discovered().await;
        }
    }

    /// Ends what this process began. A server that was there before stays.
    pub async fn close(self) {
        let Some(own) = self.own else { return };
        own.assembled.stop(PATIENCE, &own.stop, [own.control]).await;
        // Still under the lock: no other process can have put its own there.
        if let Err(error) = std::fs::remove_file(&own.socket) {
            tracing::debug!(%error, "the control socket was gone already");
        }
        drop(own.lock);
    }
}

/// Does a server answer on the control socket?
pub async fn is_answering(client: &Client) -> bool {
    client.ask(Request::get("/healthz")).await.is_ok()
}

pub async fn open(context: &Context, stay: Stay) -> Result<House> {
    let client = Client::new(context.data.socket(), context.user.clone());
    context.data.create()?;
    let started = Instant::now();
    let mut has_spoken = false;
    loop {
        if is_answering(&client).await {
            return Ok(House { client, own: None });
        }
        let pid = match Lock::attempt(&context.data, Purpose::Command)? {
            Attempt::Taken(lock) => return begin(context, client, lock, stay).await,
            Attempt::Held(pid) => pid,
        };
        if started.elapsed() > STARTING {
            return Err(silent(context, pid));
        }
        if started.elapsed() > SILENT && !std::mem::replace(&mut has_spoken, true) {
            let who = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
            eprintln!("Waiting for the server to start{who}…");
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// After the connection broke: gives a server that was there time to come back. Taking the directory from it at once
/// would keep it from starting. May be dropped while it waits.
pub async fn wait_for_return(context: &Context) {
    let client = Client::new(context.data.socket(), context.user.clone());
    let started = Instant::now();
    while lock::was_server(&context.data) && started.elapsed() < RETURNING && !is_answering(&client).await {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

async fn begin(context: &Context, client: Client, lock: Lock, stay: Stay) -> Result<House> {
    let assembled = assemble(context, &lock, stay).await?;
    let stop = CancellationToken::new();
    let listener = match listen(&context.data) {
        Ok(listener) => listener,
        Err(error) => {
            assembled.stop(PATIENCE, &stop, []).await;
            return Err(error);
        }
    };
    let control = tokio::spawn(server::serve_control(
        assembled.engine.clone(),
        listener,
        context.logs.clone(),
        stop.clone(),
    ));
    let own = Own { assembled, stop, control, socket: context.data.socket(), lock };
    Ok(House { client, own: Some(own) })
}

fn silent(context: &Context, pid: Option<u32>) -> crate::error::Error {
    let problem = lock::held(&context.data, pid);
    let what = format!("{problem} It does not answer on its control socket.");
    let stop = pid.map_or_else(|| "stop it".to_owned(), |pid| format!("stop it (kill {pid})"));
    advised(what, format!("Wait until it has started and try again, or {stop}."))
}

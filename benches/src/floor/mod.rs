//! The least that any program would have to do, each in a process of its own: this one, started again in another mode.

mod broadcast;
pub mod database;
mod decoding;
mod envelope;
mod memory;
mod raw;
mod upstream;

use crate::load::process::Watched;
use anyhow::{Context, Result};
use axum::Router;
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};
use tokio::net::TcpListener;

/// Which floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// Passes the bytes of the model on.
    Raw,
    /// Reads what the model sends, and sends it in envelopes like ours.
    Decoding,
    /// Sends the envelopes of one stream to all who listen.
    Broadcast,
    /// Sends a file that it has in memory.
    Memory,
}

const ALL: [Floor; 4] = [Floor::Raw, Floor::Decoding, Floor::Broadcast, Floor::Memory];

impl Floor {
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw proxy",
            Self::Decoding => "decoding proxy",
            Self::Broadcast => "broadcast",
            Self::Memory => "from memory",
        }
    }
}

/// The mode of this program in which it is a floor: `floor NAME ARGUMENT`.
pub fn run(arguments: &[String]) -> Result<()> {
    let [name, argument] = arguments else { anyhow::bail!("wanted: which floor, and its argument") };
    let floor = ALL.into_iter().find(|floor| floor.name() == name).context("there is no such floor")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let router: Router = match floor {
            Floor::Raw => raw::router(argument)?,
            Floor::Decoding => decoding::router(argument)?,
            Floor::Broadcast => broadcast::router(argument)?,
            Floor::Memory => memory::router(argument)?,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("listening on {}", listener.local_addr()?);
        axum::serve(
            axum::serve::ListenerExt::tap_io(listener, |socket| drop(socket.set_nodelay(true))),
            router,
        )
        .await?;
        Ok(())
    })
}

/// A floor that runs. Dropping it ends it.
pub struct Running {
    child: Child,
    pub address: SocketAddr,
    pub process: Watched,
}

impl Running {
    /// `argument`: the address of the model, or a file.
    pub fn start(floor: Floor, argument: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", floor.name(), argument]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().context("the floor has no output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address =
            line.trim().strip_prefix("listening on ").context("the floor did not start")?.parse()?;
        let process = Watched(child.id());
        Ok(Self { child, address, process })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! What is asked of a run.

use crate::egress::{self, Egress, Policy};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Which program is started again inside of the cage. It must call [`super::inside`] first thing.
#[derive(Debug, Clone)]
pub enum Program {
    /// This one.
    Own,
    At(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Below the folder of the run: `notes/today.md`.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Who can be reached from inside.
#[derive(Clone, Default)]
pub enum Network {
    /// No host.
    #[default]
    Off,
    /// Hosts that the policy lists, by the proxy of egress.
    Through(Box<Way>),
}

/// The way out of a cage.
#[derive(Clone)]
pub struct Way {
    pub egress: Egress,
    pub policy: Policy,
    pub limits: egress::Limits,
}

#[derive(Clone)]
pub struct Spec {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// All there is; nothing is inherited.
    pub environment: Vec<(String, String)>,
    pub input: Vec<u8>,
    /// Where it starts, below the folder of the run.
    pub folder: String,
    pub files: Vec<File>,
    /// Folders of this machine that it may read, beside the system's.
    pub readable: Vec<PathBuf>,
    pub network: Network,
    pub limits: Limits,
}

impl Spec {
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"),
            ("HOME", "/tmp"),
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
            // What Python would leave beside each file it reads is nothing that anybody wants back.
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ];
        Self {
            command: command.into_iter().map(Into::into).collect(),
            environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            input: Vec::new(),
            folder: String::new(),
            files: Vec::new(),
            readable: Vec::new(),
            network: Network::Off,
            limits: Limits::default(),
        }
    }

    /// A line for the shell.
    #[must_use]
    pub fn shell(line: &str) -> Self {
        Self::new(["/bin/bash", "-c", line])
    }
}

/// Bounds of a run. A kernel holds all but the wall clock, the memory of all processes together and the number of
/// files, which are watched: a run that goes beyond them is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub wall: Duration,
    /// Of each process.
    pub cpu: Duration,
    /// Of all processes together, without their files, and with what the kernel holds for them. It is watched.
    pub memory: u64,
    /// What each process may reserve, which is more than it uses: runtimes such as Node's reserve far more than they ever
    /// write to, and do not start where they may not.
    pub address_space: u64,
    /// What each process may reserve to write to.
    pub data: u64,
    pub processes: u64,
    pub open_files: u64,
    /// The folder of the run, and as much again for its temporary files.
    pub disk: u64,
    pub files: u64,
    /// How much of its output is kept, from both ends.
    pub output: usize,
    /// How many changed files come back at most.
    pub changes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(30),
            memory: 512 * 1024 * 1024,
            address_space: 16 * 1024 * 1024 * 1024,
            data: 1024 * 1024 * 1024,
            processes: 64,
            open_files: 256,
            disk: 64 * 1024 * 1024,
            files: 20_000,
            output: 64 * 1024,
            changes: 1_000,
        }
    }
}

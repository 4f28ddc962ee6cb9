//! What a person would write instead: a small server with Express and htmlparser2, if Node has them.

use super::entrants::Entrant;
use crate::floor::Running;
use anyhow::{Context, Result};
use std::{path::Path, process::Command};

/// The peer; without it, a line that says why.
pub fn start(model: &str) -> Option<Entrant> {
    if !cfg!(feature = "peers") {
        println!("Express: not run: `make bench` compares with it");
        return None;
    }
    match started(model) {
        Ok(running) => Some(Entrant::Peer("Express".to_owned(), running)),
        Err(reason) => {
            println!("Express: not run: {reason:#}");
            None
        }
    }
}

fn started(model: &str) -> Result<Running> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    anyhow::ensure!(folder.join("node_modules/express").is_dir(), "npm did not fetch it");
    let mut command = Command::new("node");
    command.current_dir(folder).args(["express.mjs", model]);
    Running::of(command).context("node")
}

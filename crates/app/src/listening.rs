//! Where the running server listens, for commands on the same machine: it need not be what the settings say.

use crate::data::DataDirectory;
use std::{fs, io::Write as _, net::SocketAddr, os::unix::fs::OpenOptionsExt as _, path::PathBuf};

fn path(data: &DataDirectory) -> PathBuf {
    data.file("listening")
}

/// Says it. A server that cannot say it serves all the same.
pub fn say(data: &DataDirectory, address: SocketAddr) {
    let options = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).clone();
    if let Err(error) = options.open(path(data)).and_then(|mut file| writeln!(file, "{address}")) {
        tracing::debug!(%error, "the address of this server could not be written to the file `listening`");
    }
}

pub fn hush(data: &DataDirectory) {
    if let Err(error) = fs::remove_file(path(data)) {
        tracing::debug!(%error, "the file `listening` was already deleted");
    }
}

/// What a server has said. After a crash it is what the last one said, so only a running one is to be believed.
pub fn said(data: &DataDirectory) -> Option<SocketAddr> {
    fs::read_to_string(path(data)).ok()?.trim().parse().ok()
}

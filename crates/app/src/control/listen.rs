//! Putting the control socket in its place.

use super::socket::Address;
use crate::{
    data::DataDirectory,
    error::{Result, advised},
};
use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
};
use tokio::net::UnixListener;

/// Opens the socket for its owner alone, in place of whatever a dead process left. Called under the lock only.
pub fn listen(data: &DataDirectory) -> Result<UnixListener> {
    place(data).map_err(|error| {
        advised(
            format!("The control socket {} cannot be opened: {error}.", data.socket().display()),
            "Check that the data directory belongs to you and that its file system supports sockets, or name another one: --data DIR",
        )
    })
}

/// Bound in a directory that no other user can enter and moved out once its mode is right: there is no moment in which
/// others could connect, and none in which a half-made socket is found.
fn place(data: &DataDirectory) -> io::Result<UnixListener> {
    let nursery = data.file("control.new");
    match fs::remove_dir_all(&nursery) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::DirBuilder::new().mode(0o700).create(&nursery)?;
    let draft = nursery.join("control.sock");
    let listener = UnixListener::bind(Address::of(&draft)?.path())?;
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o600))?;
    fs::rename(&draft, data.socket())?;
    fs::remove_dir(&nursery)?;
    Ok(listener)
}

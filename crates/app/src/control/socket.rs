//! Addresses of Unix sockets hold about a hundred bytes; data directories may lie deeper.
//!
//! A path that is too long is reached through a handle on its directory: `/proc/self/fd/N/NAME` names the same socket in
//! a few bytes, follows no symbolic link that another user could have planted, and leaves no second file to clean up.

use std::{
    fs::File,
    io,
    os::fd::AsRawFd as _,
    path::{Path, PathBuf},
};

/// The smallest `sun_path` among the systems we run on has 104 bytes, one of them the final zero.
const LONGEST: usize = 103;

/// An address that fits; good while it lives.
#[derive(Debug)]
pub struct Address {
    path: PathBuf,
    _directory: Option<File>,
}

impl Address {
    pub fn of(socket: &Path) -> io::Result<Self> {
        if socket.as_os_str().len() <= LONGEST {
            return Ok(Self { path: socket.to_owned(), _directory: None });
        }
        let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a socket needs a directory and a name"));
        };
        let directory = File::open(folder)?;
        let handles = Path::new("/proc/self/fd");
        if !handles.is_dir() {
            let problem = format!("the path {} is too long for a socket on this system", socket.display());
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, problem));
        }
        let path = handles.join(directory.as_raw_fd().to_string()).join(name);
        Ok(Self { path, _directory: Some(directory) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;

//! Files that exist in memory alone, to hand to another program.

use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use std::{fs::File, io::Write, os::fd::OwnedFd};

pub(super) fn file(name: &str, bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    seek(&file, SeekFrom::Start(0))?;
    Ok(file.into())
}

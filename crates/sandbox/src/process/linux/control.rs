//! The few words between the two sides of a cage before anything untrusted runs in it.
//!
//! Inside says *ready* and hands out its folders (and where it listens, when there is a network); outside fills them and
//! answers with the job. The socket is gone before the command begins.

use rustix::{
    io::IoSlice,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, recvmsg, sendmsg,
    },
};
use serde::{Deserialize, Serialize};
use std::{
    io::{self, IoSliceMut, Read, Write},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
};

use crate::process::Limits;

/// Where the proxy is reached from inside; nothing else is in that network.
pub(super) const PROXY_PORT: u16 = 3128;
const MOST_DESCRIPTORS: usize = 4;
const LARGEST_JOB: usize = 4 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
pub(super) struct Job {
    pub command: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub folder: String,
    pub readable: Vec<std::path::PathBuf>,
    pub limits: Limits,
}

pub(super) fn send_descriptors(socket: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut buffer = SendAncillaryBuffer::new(&mut space);
    if !buffer.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many files were passed to the sandbox"));
    }
    sendmsg(socket, &[IoSlice::new(b"!")], &mut buffer, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// What the other side handed over; nothing when it hung up.
pub(super) fn receive_descriptors(socket: impl AsFd) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut buffer = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut buffer, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let rights = buffer.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok(rights.flatten().collect())
}

pub(super) fn send_job(socket: &mut UnixStream, job: &Job, input: &OwnedFd) -> io::Result<()> {
    let words = serde_json::to_vec(job)?;
    let size = u32::try_from(words.len()).map_err(io::Error::other)?;
    send_descriptors(socket, &[input.as_fd()])?;
    socket.write_all(&size.to_le_bytes())?;
    socket.write_all(&words)
}

pub(super) fn receive_job(socket: &mut UnixStream) -> io::Result<(Job, OwnedFd)> {
    let input = receive_descriptors(&*socket)?.pop().ok_or(io::ErrorKind::InvalidData)?;
    let mut size = [0; 4];
    socket.read_exact(&mut size)?;
    let size = usize::try_from(u32::from_le_bytes(size)).unwrap_or(usize::MAX);
    if size > LARGEST_JOB {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut words = vec![0; size];
    socket.read_exact(&mut words)?;
    Ok((serde_json::from_slice(&words)?, input))
}

//! What no limit of a process can hold: the memory of all of them together, what the kernel holds for them, and the
//! number of files.

use crate::process::{Exit, Limits};
use rustix::fs::fstatfs;
use std::{os::fd::OwnedFd, time::Duration};

pub(super) const PACE: Duration = Duration::from_millis(50);
/// Sockets that are not counted: nearly every program has a few, and they are empty.
const FREE_SOCKETS: u64 = 64;
const USUAL_BUFFER: u64 = 212_992;
/// No cage has that many processes; a walk through them ends.
const MOST: usize = 4_096;

/// Whether a run has to be ended, as it is now.
pub(super) fn look(init: u32, folders: &[OwnedFd], limits: &Limits) -> Option<Exit> {
    let used =
        |folder: &OwnedFd| fstatfs(folder).map_or(0, |found| found.f_files.saturating_sub(found.f_ffree));
    if folders.iter().any(|folder| used(folder) > limits.files) {
        return Some(Exit::TooManyFiles);
    }
    let held = memory(init).saturating_add(sockets(init));
    (held > limits.memory).then_some(Exit::OutOfMemory)
}

/// Bytes that sockets hold, at most. Which ones hold how much is not told for all kinds, so each one beyond a few counts as
/// full; a connection may hold more than that, and of connections it is told.
///
/// THREAT[cage-11]: what was sent and is not read belongs to no process, and neither does a socket on its way inside of
/// another one. The network of a cage is its own, so all of its sockets are here.
fn sockets(init: u32) -> u64 {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{init}/net/{name}")).unwrap_or_default();
    let used =
        read("sockstat").lines().find_map(|line| line.strip_prefix("sockets: used ")?.trim().parse().ok());
    let used: u64 = used.unwrap_or(0);
    if used <= 1 {
        return 0;
    }
    let queued = ["tcp", "tcp6"].iter().map(|name| queued(&read(name))).fold(0, u64::saturating_add);
    let full = used.saturating_sub(FREE_SOCKETS).saturating_mul(full_socket());
    // What is in a queue has as much again around it.
    full.saturating_add(queued.saturating_mul(2))
}

/// What one socket holds when it is not read: the size of its buffer, and the piece that went beyond it.
fn full_socket() -> u64 {
    let size = std::fs::read_to_string("/proc/sys/net/core/wmem_default").ok();
    size.and_then(|size| size.trim().parse().ok()).unwrap_or(USUAL_BUFFER).saturating_add(64 * 1_024)
}

/// The bytes that wait in a list of connections, on both sides.
fn queued(connections: &str) -> u64 {
    let waiting = |line: &str| {
        let (sent, received) = line.split_whitespace().nth(4)?.split_once(':')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(number(sent)?.saturating_add(number(received)?))
    };
    connections.lines().skip(1).filter_map(waiting).fold(0, u64::saturating_add)
}

/// Bytes that the processes below `init` have in memory for themselves; what several share is counted for each.
fn memory(init: u32) -> u64 {
    let mut waiting = vec![init];
    let (mut seen, mut total) = (0, 0_u64);
    while let Some(process) = waiting.pop() {
        seen += 1;
        if seen > MOST {
            return u64::MAX;
        }
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        total = total.saturating_add(kilobytes(&status).saturating_mul(1_024));
        waiting.extend(children(process));
    }
    total
}

fn kilobytes(status: &str) -> u64 {
    let counted = |line: &&str| {
        // Tables of pages grow with what is reserved and looked at, although nothing is written.
        ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"].iter().any(|name| line.starts_with(name))
    };
    let number = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    status.lines().filter(counted).filter_map(number).fold(0, u64::saturating_add)
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let listed =
        threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    listed
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

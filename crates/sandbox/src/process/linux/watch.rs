//! What no limit of a process can hold: the memory of all of them together, and the number of files.

use crate::process::{Exit, Limits};
use rustix::fs::fstatfs;
use std::{os::fd::OwnedFd, time::Duration};

pub(super) const PACE: Duration = Duration::from_millis(50);
/// Nobody has that many processes in a cage; a walk through them ends.
const MOST: usize = 4_096;

/// Whether a run has to be ended, as it is now.
pub(super) fn look(init: u32, folders: &[OwnedFd], limits: &Limits) -> Option<Exit> {
    let used =
        |folder: &OwnedFd| fstatfs(folder).map_or(0, |found| found.f_files.saturating_sub(found.f_ffree));
    if folders.iter().any(|folder| used(folder) > limits.files) {
        return Some(Exit::TooManyFiles);
    }
    (memory(init) > limits.memory).then_some(Exit::OutOfMemory)
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
        line.starts_with("RssAnon:") || line.starts_with("RssShmem:") || line.starts_with("VmSwap:")
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

//! What a server that was killed may have left.
//!
//! bubblewrap's init follows its parent into death only from the moment it has said so. If the parent is killed in the few
//! milliseconds before, the init waits for it for ever: without a command, without rights, but it is there.

use super::arguments::{command, descriptor};
use crate::process::Network;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;

/// Ends every init of a cage that has lost its parent. Those of other servers have theirs, and are left alone.
pub(super) fn end() {
    let Ok(processes) = fs::read_dir("/proc") else { return };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|&number| is_orphan(number)) {
        let Some(id) = Pid::from_raw(number) else { continue };
        let Ok(held) = pidfd_open(id, PidfdFlags::empty()) else { continue };
        // A number can go to another process; a descriptor cannot. So it is asked once more.
        if is_orphan(number) && pidfd_send_signal(&held, Signal::KILL).is_ok() {
            tracing::info!(process = number, "sandbox: ended processes that an earlier run had left");
        }
    }
}

fn is_orphan(number: i32) -> bool {
    let Some(status) =
        is_ours(number).then(|| fs::read_to_string(format!("/proc/{number}/status")).ok()).flatten()
    else {
        return false;
    };
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    // An init is in a namespace of its own, so it has two numbers.
    let is_init = field("NSpid:").is_some_and(|numbers| numbers.split_whitespace().nth(1) == Some("1"));
    let parent = field("PPid:").and_then(|parent| parent.trim().parse().ok());
    is_init && parent.is_some_and(|parent| !is_ours(parent))
}

/// bubblewrap, started as we start it.
fn is_ours(number: i32) -> bool {
    let Ok(line) = fs::read(format!("/proc/{number}/cmdline")) else { return false };
    let [program, word, _] = command(&Network::Off);
    let ours = format!("\0--args\0{}\0--\0{program}\0{word}\0", descriptor::ARGUMENTS);
    line.windows(ours.len()).any(|window| window == ours.as_bytes())
}

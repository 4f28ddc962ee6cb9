//! The disk under the data directory: is there room, and is it one that a database can live on?

use super::report::Report;
use domain::size_words;
use std::{path::Path, process::Command};

const LITTLE: u64 = 1 << 30;
const NONE: u64 = 100 << 20;
/// File systems over a network, as `stat -f` names them: their locks and their memory maps are not to be trusted.
const REMOTE: [&str; 9] = ["nfs", "nfs4", "cifs", "smb", "smb2", "afs", "ceph", "9p", "v9fs"];

pub fn disk(report: &mut Report, path: &Path) {
    if let Some(free) = free_bytes(path) {
        room(report, free);
    }
    if let Some(kind) = kind(path).filter(|kind| REMOTE.contains(&kind.as_str())) {
        report.bad(
            format!("{} is on a network file system ({kind}).", path.display()),
            "Keep the data directory on a local disk, or use PostgreSQL (store.url).",
        );
    }
}

fn room(report: &mut Report, free: u64) {
    let text = format!("{} of disk space are free.", size_words(free));
    match free {
        _ if free < NONE => report.bad(text, "Free some space. On a full disk nothing can be saved."),
        _ if free < LITTLE => {
            report.notable(text, "Free some space soon. On a full disk nothing can be saved.")
        }
        _ => report.good(text),
    }
}

/// `df` and `stat` are on every system that this program runs on, and asking them needs no unsafe code.
fn free_bytes(path: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(path).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let blocks: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    blocks.checked_mul(1_024)
}

fn kind(path: &Path) -> Option<String> {
    let output = Command::new("stat").args(["-f", "-c", "%T"]).arg(path).output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;

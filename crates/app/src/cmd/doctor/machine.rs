//! What the machine has to offer.

use super::report::Report;
use capability::{Clock as _, SystemClock};
use domain::Timestamp;
use std::{fs, path::Path};

/// No build of this program is older, so no clock should be: 2026-01-01.
const EARLIEST: Timestamp = Timestamp::from_millis(1_767_225_600_000);
/// 2100-01-01.
const LATEST: Timestamp = Timestamp::from_millis(4_102_444_800_000);
/// Connections, the database and some more.
const FEW_FILES: u64 = 2_048;

pub fn clock(report: &mut Report) {
    let now = SystemClock.now();
    if now < EARLIEST || now > LATEST {
        report.bad(
            format!("the clock says {now}"),
            "set this machine's clock: keys expire and turns are ordered by it",
        );
    } else {
        report.good(format!("the clock says {now}"));
    }
}

pub fn open_files(report: &mut Report) {
    let Some(limit) = fs::read_to_string("/proc/self/limits").ok().as_deref().and_then(soft_limit) else {
        return;
    };
    let text = format!("{limit} files may be open at once");
    if limit < FEW_FILES {
        let remedy =
            format!("raise it to {FEW_FILES} or more: LimitNOFILE= in the systemd unit, or ulimit -n");
        report.notable(text, remedy);
    } else {
        report.good(text);
    }
}

/// The soft limit, from the table that Linux shows.
fn soft_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

/// What runs commands in a cage. The path is looked through by hand: nothing is run.
pub fn sandbox(report: &mut Report) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match std::env::split_paths(&path).map(|folder| folder.join("bwrap")).find(|file| is_program(file)) {
        Some(file) => report.good(format!("bubblewrap is there ({})", file.display())),
        None => report.notable(
            "bubblewrap is not installed, so agents can run no commands and no plugins",
            "install it, for instance: apt install bubblewrap",
        ),
    }
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

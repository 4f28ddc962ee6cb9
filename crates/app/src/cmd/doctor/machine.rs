//! What the machine has to offer.

use super::report::Report;
use capability::{Clock as _, SystemClock};
use domain::Timestamp;
use sandbox::process::{Cage, Layer, Program};
use std::fs;

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

/// What runs commands in a cage. The layers are tried together, by one run that does nothing.
pub fn sandbox(report: &mut Report) {
    let layers = match Cage::open(Program::Own) {
        Ok(cage) => {
            report.good("agents can run programs: in a cage");
            cage.report().layers.clone()
        }
        Err(found) => {
            report.notable(
                "agents can run no programs and no plugins",
                "see the next lines; everything else works",
            );
            found.layers
        }
    };
    for Layer { name, mandatory, present, detail } in layers {
        match (present, mandatory) {
            (true, _) => report.good(format!("cage: {name} ({detail})")),
            (false, true) => report.notable(format!("cage: {name} is missing"), detail),
            (false, false) => report.good(format!("cage: no {name}, which is not needed ({detail})")),
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

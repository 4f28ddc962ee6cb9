//! What the machine has to offer.

use super::report::Report;
use crate::terminal::moment_in_zone;
use capability::{Clock as _, SystemClock};
use domain::Timestamp;
use sandbox::process::{Cage, Layer, Program};
use server::Capacity;

/// No build of this program is older, so no clock should be: 2026-01-01.
const EARLIEST: Timestamp = Timestamp::from_millis(1_767_225_600_000);
/// 2100-01-01.
const LATEST: Timestamp = Timestamp::from_millis(4_102_444_800_000);

pub fn clock(report: &mut Report) {
    let now = SystemClock.now();
    if now < EARLIEST || now > LATEST {
        report.bad(
            format!("The clock of this machine shows {}.", moment_in_zone(now)),
            "Set the clock of this machine. The expiry of keys and the order of messages depend on it.",
        );
    } else {
        report.good(format!("The clock of this machine shows {}.", moment_in_zone(now)));
    }
}

/// `most` is what `serve` may allow itself.
pub fn open_files(report: &mut Report, wanted: Capacity, most: u64) {
    let needed = wanted.descriptors();
    if most < needed {
        let there = wanted.within(most).connections;
        let text =
            format!("At most {most} files can be open at once, which is enough for {there} connections.");
        let remedy = format!(
            "connections.total = {} needs {needed} open files. Raise LimitNOFILE= in the systemd unit, or ulimit -Hn.",
            wanted.connections
        );
        report.notable(text, remedy);
    } else {
        report.good(format!("Up to {most} files can be open at once."));
    }
}

/// What runs commands in a cage. The layers are tried together, by one run that does nothing.
pub fn sandbox(report: &mut Report) {
    let layers = match Cage::open(Program::Own) {
        Ok(cage) => {
            report.good("Agents can run programs in a sandbox.");
            cage.report().layers.clone()
        }
        Err(found) => {
            report.notable(
                "Agents cannot run programs, because the sandbox does not work on this machine.",
                "The next lines say what to do. Everything else works.",
            );
            found.layers
        }
    };
    for Layer { name, mandatory, present, detail } in layers {
        match (present, mandatory) {
            (true, _) => report.good(format!("Sandbox: {name} ({detail}).")),
            (false, true) => report.notable(format!("Sandbox: {name} not available."), detail),
            (false, false) => {
                report.good(format!("Sandbox: {name} not available, but not required ({detail})."))
            }
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

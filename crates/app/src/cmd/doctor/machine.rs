//! What the machine has to offer.

use super::report::Report;
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
            format!("the clock says {now}"),
            "set this machine's clock: keys expire and turns are ordered by it",
        );
    } else {
        report.good(format!("the clock says {now}"));
    }
}

/// `most` is what `serve` may allow itself.
pub fn open_files(report: &mut Report, wanted: Capacity, most: u64) {
    let needed = wanted.descriptors();
    if most < needed {
        let there = wanted.within(most).connections;
        let text = format!("{most} files may be open at once, which is room for {there} connections");
        let remedy = format!(
            "connections.total = {} needs {needed}: raise LimitNOFILE= in the systemd unit, or ulimit -Hn",
            wanted.connections
        );
        report.notable(text, remedy);
    } else {
        report.good(format!("{most} files may be open at once"));
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

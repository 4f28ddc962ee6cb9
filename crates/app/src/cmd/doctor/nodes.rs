//! The servers that work on the same PostgreSQL.

use super::report::Report;
use crate::terminal::moment_in_zone;
use store::nodes::NodeRow;

pub fn nodes(report: &mut Report, nodes: &[NodeRow]) {
    report.section("servers");
    if nodes.is_empty() {
        return report.good("No server is running on this database.");
    }
    for node in nodes {
        let who = format!("{} ({})", node.name, node.id);
        match node.is_silent() {
            true => report.notable(
                format!("Server {who} was last seen at {} and was not shut down.", moment_in_zone(node.seen_at)),
                "Other servers continue its replies. If it should be running, look at its log; otherwise it is removed from this list after a day.",
            ),
            false => report.good(format!(
                "Server {who} runs version {} since {}. Running replies: {}{}. Clock: {}. If it stops answering, other servers take over its replies in {}.",
                node.version,
                moment_in_zone(node.started_at),
                node.turns,
                if node.is_leaving() { " (it is being stopped)" } else { "" },
                clock(node.ahead_ms),
                seconds(node.lease_left_ms),
            )),
        }
        if node.is_clock_off() {
            report.bad(
                format!("The clock of server {who} is {} that of the database.", off(node.ahead_ms)),
                "Set the clock of that machine (with NTP). The server uses the clock of the database, but the times in its log are wrong.",
            );
        }
    }
    versions(report, nodes);
}

/// Two versions side by side are for the time of an upgrade.
fn versions(report: &mut Report, nodes: &[NodeRow]) {
    let running = nodes.iter().filter(|node| !node.is_silent());
    let mut versions: Vec<&str> = running.map(|node| node.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    if versions.len() > 1 {
        report.notable(
            format!("The servers run different versions: {}.", versions.join(", ")),
            "Different versions are only meant for the time of an upgrade. Install the newest version on every machine.",
        );
    }
}

fn seconds(milliseconds: i64) -> String {
    let tenths = milliseconds.unsigned_abs().div_ceil(100);
    format!("{}.{} s", tenths / 10, tenths % 10)
}

fn clock(ahead_ms: i64) -> String {
    match ahead_ms.unsigned_abs() < 100 {
        true => "right".to_owned(),
        false => format!("{} the database\u{2019}s", off(ahead_ms)),
    }
}

fn off(ahead_ms: i64) -> String {
    format!("{} {}", seconds(ahead_ms), if ahead_ms > 0 { "ahead of" } else { "behind" })
}

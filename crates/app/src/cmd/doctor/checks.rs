//! The machine, the directory, the server and the settings.

use super::report::Report;
use crate::{
    config::Config,
    data::DataDirectory,
    lock::{Attempt, Lock, Purpose},
};
use capability::{Clock as _, SystemClock};
use domain::Timestamp;
use std::{os::unix::fs::PermissionsExt as _, path::Path, process::Command};

/// No build of this program is older, so no clock should be: 2026-01-01.
const EARLIEST: Timestamp = Timestamp::from_millis(1_767_225_600_000);
/// 2100-01-01.
const LATEST: Timestamp = Timestamp::from_millis(4_102_444_800_000);
const LITTLE_SPACE: u64 = 512 << 20;
const NO_SPACE: u64 = 32 << 20;

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

pub fn directory(report: &mut Report, data: &DataDirectory) {
    let path = data.path();
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            report.notable(format!("{} does not exist yet", path.display()), "it is made at the first start");
            return;
        }
        Err(error) => {
            let remedy = "name a directory of your own: --data DIR";
            return report.bad(format!("{} cannot be read: {error}", path.display()), remedy);
        }
    };
    if !found.is_dir() {
        return report.bad(format!("{} is no directory", path.display()), "name another: --data DIR");
    }
    match found.permissions().mode() & 0o777 {
        mode if mode & 0o077 == 0 => report.good(format!("{} (mode {mode:o})", path.display())),
        mode => report.bad(
            format!("{} can be entered by others (mode {mode:o})", path.display()),
            format!("run: chmod 700 {}", path.display()),
        ),
    }
    free_space(report, path);
}

fn free_space(report: &mut Report, path: &Path) {
    let Some(free) = free_bytes(path) else { return };
    let text = format!("{} MiB free", free >> 20);
    match free {
        _ if free < NO_SPACE => report.bad(text, "make room: nothing can be stored on a full disk"),
        _ if free < LITTLE_SPACE => {
            report.notable(text, "make room soon: nothing can be stored on a full disk")
        }
        _ => report.good(text),
    }
}

/// `df` is on every system that this program runs on, and asking it needs no unsafe code.
fn free_bytes(path: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(path).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let blocks: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    blocks.checked_mul(1_024)
}

pub fn server(report: &mut Report, data: &DataDirectory, is_running: bool) {
    if !data.lock().exists() {
        return report.good("no server runs");
    }
    match (Lock::attempt(data, Purpose::Command), is_running) {
        (Ok(Attempt::Held(pid)), true) => report.good(format!("a server runs{}", shown(pid))),
        (Ok(Attempt::Held(pid)), false) => report.bad(
            format!("somebody holds the lock{} but does not answer on the control socket", shown(pid)),
            "if it is starting, wait; otherwise stop it and start it again",
        ),
        (Ok(Attempt::Taken(_)), false) => report.good("no server runs"),
        (Ok(Attempt::Taken(_)), true) => report.bad(
            "a server answers on the control socket, but does not hold the lock",
            "was the file `lock` removed? stop the server and start it again",
        ),
        (Err(error), _) => report.bad(error.to_string(), error.advice().unwrap_or_default()),
    }
}

fn shown(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

pub fn settings(report: &mut Report, config: &Config) {
    match &config.file {
        Some(path) => report.good(format!("read from {}", path.display())),
        None => report.good("no majordomo.toml; none is needed"),
    }
    for setting in config.shown() {
        report.good(format!("{} = {} ({})", setting.name, setting.value, setting.origin));
    }
    if let Err(error) = config.server.check_exposure() {
        report.bad(error.to_string(), error.advice().unwrap_or_default());
    }
}

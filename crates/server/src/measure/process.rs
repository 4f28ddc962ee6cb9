//! The process itself, as the system sees it. Where there is no `/proc`, these numbers are absent.

use metrics::gauge;
use std::{fs, time::SystemTime};

pub(super) fn measure() {
    if let Some(bytes) = resident() {
        gauge!("process_resident_memory_bytes").set(bytes as f64);
    }
    if let Ok(entries) = fs::read_dir("/proc/self/fd") {
        gauge!("process_open_fds").set(entries.count() as f64);
    }
    if let Some(seconds) = started() {
        gauge!("process_start_time_seconds").set(seconds);
    }
}

fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}

/// The process's own folder is as old as the process.
fn started() -> Option<f64> {
    let made = fs::metadata("/proc/self").ok()?.modified().ok()?;
    made.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
}

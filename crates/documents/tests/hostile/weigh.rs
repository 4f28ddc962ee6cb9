//! What reading a file costs.

use documents::{Limits, Unreadable, read};
use std::{
    fs,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the process holds at the moment, and the most that it held since the last time it was asked to begin anew; in bytes.
pub fn held(what: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    number.unwrap_or(0) << 10
}

/// One at a time, so that what is counted is of one file.
pub fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What any file may cost beyond itself.
pub const MOST_BYTES: usize = 256 << 20;

/// Reads it and says what became of it; fails when it cost too much.
pub fn weighed(bytes: &[u8], name: &str) -> Result<documents::Document, Unreadable> {
    // The system forgets the peak when it is told so; where it cannot, the peak is of all files before, too.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = held("VmRSS:");
    let result = read(bytes, name, &Limits::default());
    let cost = held("VmHWM:").saturating_sub(before);
    assert!(cost < MOST_BYTES, "{name} cost {} MB", cost >> 20);
    result
}

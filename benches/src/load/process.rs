//! What a process costs, as the kernel counts it.

use anyhow::{Context, Result};
use std::{collections::HashMap, fs};

/// A process that is looked at from outside.
#[derive(Clone, Copy, Debug)]
pub struct Watched(pub u32);

/// Processor time of each thread, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Worked(HashMap<String, u64>);

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resident {
    pub all: f64,
    /// Without the pages of the program's file.
    pub own: f64,
}

impl Watched {
    pub fn worked(&self) -> Result<Worked> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.0)).context("the process has ended")?;
        let mut threads = HashMap::new();
        for task in tasks.flatten() {
            // A thread may end while we look.
            let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else { continue };
            let nanos = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
            threads.insert(task.file_name().to_string_lossy().into_owned(), nanos);
        }
        Ok(Worked(threads))
    }

    pub fn resident(&self) -> Result<Resident> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.0)).context("the process has ended")?;
        let field = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(f64::NAN)
                * 1_024.0
        };
        Ok(Resident { all: field("VmRSS:"), own: field("RssAnon:") })
    }
}

impl Worked {
    /// Microseconds of work since then. A thread that ended in between was idle before: tokio ends only those.
    pub fn micros_since(&self, before: &Self) -> f64 {
        let of = |(id, nanos): (&String, &u64)| nanos.saturating_sub(before.0.get(id).copied().unwrap_or(0));
        self.0.iter().map(of).sum::<u64>() as f64 / 1_000.0
    }
}

/// How busy the machine is: the mean number of processes that want to run, of the last minute.
pub fn machine_load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}

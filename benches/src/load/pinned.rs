//! Programs on processors of their own, so that who asks takes no time from who answers.

use super::process::Watched;
use anyhow::{Context, Result};
use rustix::{
    process::Pid,
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};
use std::fs;

/// This process on one processor, and a program on another, until it is dropped.
pub struct Pinned {
    before: CpuSet,
    /// Where the program is, and where everything else of the measurement.
    pub program: usize,
    pub others: usize,
}

impl Pinned {
    /// Nothing where there is one processor only.
    pub fn apart(program: Watched) -> Result<Option<Self>> {
        let before = sched_getaffinity(None)?;
        let ours: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|processor| before.is_set(*processor)).collect();
        let (Some(first), Some(second)) = (ours.first().copied(), ours.get(1).copied()) else {
            return Ok(None);
        };
        let pinned = Self { before, program: first, others: second };
        set(program, &only(first))?;
        set(Watched(std::process::id()), &only(second))?;
        Ok(Some(pinned))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Err(error) = set(Watched(std::process::id()), &self.before) {
            println!("  this process stays on processor {}: {error:#}", self.others);
        }
    }
}

fn only(processor: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(processor);
    set
}

/// Every thread that there is; those that they start stay with them.
fn set(process: Watched, processors: &CpuSet) -> Result<()> {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.0)).context("the process has ended")?;
    for task in tasks.flatten() {
        let id = task.file_name().to_string_lossy().parse().ok().and_then(Pid::from_raw);
        // A thread may end while we look.
        if let Err(error) = sched_setaffinity(id, processors)
            && error != rustix::io::Errno::SRCH
        {
            return Err(error.into());
        }
    }
    Ok(())
}

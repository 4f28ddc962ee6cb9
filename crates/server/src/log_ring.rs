//! The last lines of the log, in memory, for `GET /v1/logs`.

use domain::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use std::{
    collections::VecDeque,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

/// Lines that are kept. A line is some 300 bytes: it is kept as it is sent, and not as a tree of its fields.
const LINES: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Error,
    Warn,
    Info,
}

impl FromStr for Level {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "error" => Ok(Self::Error),
            "warn" => Ok(Self::Warn),
            "info" => Ok(Self::Info),
            _ => Err(()),
        }
    }
}

/// One line: what happened and to which ids, never what people said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LogLine {
    /// Counts up from the start of the program.
    pub number: u64,
    pub at: Timestamp,
    pub level: Level,
    /// The part of the program that says it.
    pub target: &'static str,
    pub message: Box<str>,
    #[schemars(with = "Map<String, Value>")]
    pub fields: Box<RawValue>,
}

/// Shared between the logger that writes lines and the route that shows them.
#[derive(Clone, Debug, Default)]
pub struct LogRing(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    kept: VecDeque<LogLine>,
    written: u64,
}

impl LogRing {
    /// Adds a line; its number is given here.
    pub fn push(&self, mut line: LogLine) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.written = lines.written.saturating_add(1);
        line.number = lines.written;
        if lines.kept.len() >= LINES {
            lines.kept.pop_front();
        }
        lines.kept.push_back(line);
    }

    /// Lines of a level and worse, oldest first, and how many there are of them.
    pub(crate) fn read(&self, level: Level, after: Option<u64>, limit: usize) -> (Vec<LogLine>, u64) {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = || lines.kept.iter().filter(|line| line.level <= level);
        let total = fitting().count();
        let found: Vec<LogLine> = match after {
            Some(after) => fitting().filter(|line| line.number > after).take(limit).cloned().collect(),
            None => fitting().skip(total.saturating_sub(limit)).cloned().collect(),
        };
        (found, u64::try_from(total).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
#[path = "log_ring_tests.rs"]
mod tests;

//! Messages on their way in. When more come than the server can store, it refuses the next ones at once, before it has
//! done anything for them: what it took is finished in time, and a client that was refused knows when to come back.
//!
//! The line holds messages between being read and being stored. Whatever is short (the processor, the disk, the
//! database), they pile up there; and since the turns that run share all of it with them, a bound on these bounds those.
//! A slow machine stores fewer of them in the same time, so the line is bounded by time as well as by number.
//!
//! A line that was full once is kept shorter for a second: many people may send at once, but where more keeps coming, a long
//! line stores nothing sooner, and each turn shares the processor with more others. It is not kept shorter than that: what is
//! stored at the same time shares a commit, so a line of a dozen costs a third of the turns. After the second it may be long
//! again, so that a burst is not refused for ever because of the one before it.

use crate::{problem::Problem, settings::HttpSettings};
use engine::LineWork;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Messages that are being stored, or wait for it.
const IN_LINE: usize = 64;
/// So many may always wait, however long it takes: a disk that is slow once is not an overload.
const MAY_WAIT: usize = 12;
/// How long a line is after it was full, and for how long.
const SHORT_LINE: usize = 40;
const KEPT_SHORT: Duration = Duration::from_secs(1);
/// Of those, how many the database works on: PostgreSQL has a connection for each, and keeps some for everything else.
const AT_ONCE_ON_POSTGRES: usize = 12;
#[derive(Clone)]
pub(crate) struct Overload {
    line: Arc<Mutex<Line>>,
    at_once: Arc<Semaphore>,
    patience: Duration,
    most_running: usize,
}

/// When each message that is not stored yet came in, oldest first.
#[derive(Default)]
struct Line {
    came: BTreeMap<u64, Instant>,
    next: u64,
    /// Until when the line is kept short, because it was full.
    short_until: Option<Instant>,
}

impl Line {
    fn is_full(&self, now: Instant, patience: Duration) -> bool {
        let oldest = self.came.first_key_value().map(|(_, came)| now.duration_since(*came));
        let kept_short = self.short_until.is_some_and(|until| now < until);
        self.came.len() >= IN_LINE
            || (self.came.len() >= SHORT_LINE && kept_short)
            || (self.came.len() >= MAY_WAIT && oldest > Some(patience))
    }

    /// The number of the new place, if there is one.
    fn line_up(&mut self, now: Instant, patience: Duration) -> Option<u64> {
        if self.is_full(now, patience) {
            return None;
        }
        self.next += 1;
        self.came.insert(self.next, now);
        if self.came.len() >= IN_LINE {
            self.short_until = Some(now + KEPT_SHORT);
        }
        Some(self.next)
    }
}

/// A message's place in the line, until it is dropped.
struct InLine {
    line: Arc<Mutex<Line>>,
    number: u64,
}

impl Drop for InLine {
    fn drop(&mut self) {
        locked(&self.line).came.remove(&self.number);
    }
}

/// A message's place, until it is stored.
pub(crate) struct OverloadPlace {
    _line: InLine,
    _at_once: OwnedSemaphorePermit,
}

impl Overload {
    pub(crate) fn new(store: &store::Store, settings: &HttpSettings) -> Self {
        let at_once = if store.kind() == "postgres" { AT_ONCE_ON_POSTGRES } else { IN_LINE };
        let at_once = Arc::new(Semaphore::new(at_once));
        let (patience, most_running) = (settings.storing_patience, settings.most_running);
        Self { line: Arc::default(), at_once, patience, most_running }
    }

    /// Refuses early what would be refused later: before the server asks whose key it is, and before it reads a body.
    pub(crate) fn check(&self, running: usize) -> Result<(), Problem> {
        if running >= self.most_running || locked(&self.line).is_full(Instant::now(), self.patience) {
            return Err(overloaded());
        }
        Ok(())
    }

    /// A place in the line, and its turn in it. It is held while something is stored, and never while a model is asked: that
    /// takes minutes, in which the messages of others would have no place.
    pub(crate) async fn enter(&self, running: usize) -> Result<OverloadPlace, Problem> {
        self.check(running)?;
        let number = locked(&self.line).line_up(Instant::now(), self.patience).ok_or_else(overloaded)?;
        let line = InLine { line: self.line.clone(), number };
        let at_once = self.at_once.clone().acquire_owned().await.map_err(|_| overloaded())?;
        Ok(OverloadPlace { _line: line, _at_once: at_once })
    }

    /// A place for a slash line, where one is needed: `/stop` and the like pass whatever else has to wait.
    pub(crate) async fn enter_for(
        &self,
        line: &str,
        running: usize,
    ) -> Result<Option<OverloadPlace>, Problem> {
        match engine::work_of(line) {
            LineWork::Little => Ok(None),
            LineWork::BeginsTurn => self.enter(running).await.map(Some),
            LineWork::AwaitsModel => self.check(running).map(|()| None),
        }
    }
}

fn locked(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

fn overloaded() -> Problem {
    let detail =
        "More messages arrive than the server can handle. This one was not saved. Send it again in a moment.";
    Problem::unavailable("overloaded", detail)
}

#[cfg(test)]
#[path = "overload_tests.rs"]
mod tests;

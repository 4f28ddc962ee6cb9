//! How one connection hears of a person's sessions: hints, and what is new in each of them.

use super::hints::{Glance, Hint, HintMark, Ring, What, lock};
use crate::error::{Error, Result};
use domain::{SessionId, SessionStatus};
use std::{collections::HashMap, sync::Arc};
use tokio::sync::watch;

/// One connection's view of a person's sessions, without their words.
pub struct HintReader {
    pub(super) ring: Arc<Ring>,
    pub(super) changed: watch::Receiver<u64>,
    pub(super) position: u64,
    pub(super) known: HashMap<SessionId, KnownSession>,
}

/// What the reader knows of a session.
pub(super) struct KnownSession {
    /// What was in its log when the reader began is not hinted at again. `None`: it was not among those it began with.
    floor: Option<u64>,
    last_seq: u64,
    status: SessionStatus,
}

impl HintReader {
    pub(crate) fn begin_after(&mut self, glances: &[Glance]) {
        let known = |glance: &Glance| {
            let Glance { session_id, last_seq, status } = *glance;
            (session_id, KnownSession { floor: Some(last_seq), last_seq, status })
        };
        self.known = glances.iter().map(known).collect();
        let mut state = lock(&self.ring.state);
        state.began = true;
        for glance in glances {
            state.heard.entry(glance.session_id).or_insert(glance.last_seq);
        }
    }

    /// How far the log of a session was when the reader began, if it was among those it began with.
    pub(crate) fn began_at(&self, session: SessionId) -> Option<u64> {
        self.known.get(&session)?.floor
    }

    /// The next hint; waits until there is one. Giving up the wait loses nothing.
    ///
    /// # Errors
    /// [`Error::TooSlow`] when more has happened than the ring holds.
    pub async fn next(&mut self) -> Result<Hint> {
        loop {
            self.changed.borrow_and_update();
            let found = lock(&self.ring.state).get(self.position)?;
            match found {
                Some(mark) => {
                    self.position += 1;
                    if let Some(hint) = self.understand(mark) {
                        return Ok(hint);
                    }
                }
                None => {
                    if self.changed.changed().await.is_err() {
                        return Err(Error::ShuttingDown);
                    }
                }
            }
        }
    }

    fn understand(&mut self, mark: HintMark) -> Option<Hint> {
        let HintMark { session_id, what, status } = mark;
        let known = self.known.entry(session_id).or_insert(KnownSession {
            floor: None,
            last_seq: 0,
            status: SessionStatus::Idle,
        });
        if let What::Event { seq, .. } = what {
            if known.floor.is_some_and(|floor| seq <= floor) {
                return None;
            }
            // Tasks that committed one after the other may tell of it the other way round.
            if seq > known.last_seq {
                known.last_seq = seq;
                known.status = status.unwrap_or(known.status);
            }
        }
        let glance = Glance { session_id, last_seq: known.last_seq, status: known.status };
        if what == What::Deleted {
            self.known.remove(&session_id);
        }
        Some(Hint { glance, what })
    }
}

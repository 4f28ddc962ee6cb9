//! A turn that is this node's to run, with everything a worker needs to begin or to go on. [`Claimed::new`] is the only place
//! that puts one together: for a message that starts at once, for the next turn of a queue, for a turn that an answer wakes,
//! and for one whose worker died.

use crate::{
    claim::{
        awaited::Awaited,
        record::{Record, is_unreadable},
        running::Announced,
    },
    engine::Engine,
};
use domain::{Agent, Session, Source, TurnId};
use store::{
    DataKey, Tx,
    calls::{self, StoredCall},
    sessions::Staffed,
    turns::StoredTurn,
};

/// A turn that is ours to run.
pub(crate) struct Claimed {
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) agent: Agent,
    /// The agent's owner no longer shares it with the person whose session it is.
    pub(crate) unshared: bool,
    pub(crate) turn_id: TurnId,
    /// Fences every write of the turn: a worker with an older epoch changes nothing.
    pub(crate) epoch: u64,
    /// How often the turn was started, with this time.
    pub(crate) attempt: u32,
    pub(crate) source: Source,
    pub(crate) record: Record,
    /// What an earlier worker left; none for a turn that has just started.
    pub(crate) recovery: Option<Recovery>,
    /// Says that the turn runs here; none until it is about to run.
    pub(crate) announced: Option<Announced>,
}

/// Which turn was claimed, as the claim itself left its row.
#[derive(Clone, Copy)]
pub(crate) struct ClaimedTurn {
    pub(crate) id: TurnId,
    pub(crate) epoch: u64,
    pub(crate) attempt: u32,
    pub(crate) source: Source,
}

impl From<&StoredTurn> for ClaimedTurn {
    fn from(turn: &StoredTurn) -> Self {
        Self { id: turn.id, epoch: turn.epoch, attempt: turn.attempt, source: turn.source }
    }
}

/// What is known of a turn that had a worker before.
pub(crate) struct Recovery {
    /// How often it was taken up since it last got anywhere.
    pub(crate) stalls: u32,
    /// Its person has stopped it meanwhile.
    pub(crate) stop: bool,
    pub(crate) calls: Vec<StoredCall>,
    /// What its calls wait for.
    pub(crate) answers: Awaited,
    /// `true`: no worker died, the turn was parked until an answer came.
    pub(crate) woken: bool,
}

impl Recovery {
    /// Reads the calls of a turn and what they wait for. Both are read before either is judged: an error that may pass counts
    /// more than a row that can never be read.
    pub(crate) fn load(tx: &mut Tx, key: &DataKey, turn: &StoredTurn, woken: bool) -> store::Result<Self> {
        let calls = calls::of_turn(tx, key, turn.id);
        let answers = Awaited::read(tx, key, turn.id);
        // Waiting is no lack of progress.
        let stalls = if woken { 0 } else { turn.stalls };
        match (calls, answers) {
            (Ok(calls), Ok(answers)) => Ok(Self { stalls, stop: turn.cancelled, calls, answers, woken }),
            (Err(error), _) | (_, Err(error)) if !is_unreadable(&error) => Err(error),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }
}

impl Claimed {
    pub(crate) fn new(
        key: DataKey,
        Staffed { session, mut agent, usable }: Staffed,
        ClaimedTurn { id: turn_id, epoch, attempt, source }: ClaimedTurn,
        record: Record,
        recovery: Option<Recovery>,
    ) -> Self {
        if record.model.is_some() {
            agent.model.clone_from(&record.model);
        }
        Self {
            key,
            session,
            agent,
            unshared: !usable,
            turn_id,
            epoch,
            attempt,
            source,
            record,
            recovery,
            announced: None,
        }
    }

    /// With what says that it runs here, made now unless it was made before the commit that claimed it.
    pub(crate) fn announced(mut self, engine: &Engine) -> (Self, Announced) {
        let announced = self.announced.take();
        let announced = announced.unwrap_or_else(|| engine.announce(self.turn_id, self.session.id));
        announced.note_claim();
        (self, announced)
    }
}

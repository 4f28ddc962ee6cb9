//! Starts the turn that waits first in a session, inside the transaction of its finder: the worker that ends the turn
//! before it, the takeover that finds a session with nothing running, or a person who wants a turn run once more.

use crate::{
    claim::{
        claimed::{Claimed, ClaimedTurn},
        opening::{IncomingWords, Opening, OpeningTurn},
        record::unwritable,
    },
    engine::Engine,
};
use domain::{Event, Session, SessionId, SessionStatus, Timestamp, TurnId, TurnStatus, Usage, UserId};
use store::{
    DataKey, Tx, inbox, log, model_calls,
    sessions::{self, Active, Advance, Staffed},
    turns,
};

/// Starts a turn that waits, inside its caller's transaction.
pub(crate) struct QueuedTurnStarter<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) key: &'a DataKey,
    pub(crate) session_id: SessionId,
    pub(crate) now: Timestamp,
}

/// What a turn begins with besides its words.
pub(crate) struct TurnBeginning {
    pub(crate) state: turn::State,
    /// What it may cost at most, where that is known already.
    pub(crate) ceiling: Option<u64>,
    /// The model that was chosen for it, where it is run once more.
    pub(crate) model: Option<String>,
}

impl QueuedTurnStarter<'_> {
    /// Starts the turn that has waited longest; `None` when none waits, or it came with a backup and is not to be run.
    pub(crate) fn start_next(
        &self,
        tx: &mut Tx,
        user: UserId,
    ) -> store::Result<Option<(Claimed, Vec<Event>)>> {
        let Some(turn) = turns::next_queued(tx, self.key, self.session_id)? else { return Ok(None) };
        if turn.restored {
            return Ok(None);
        }
        let input = inbox::of_turn(tx, self.key, turn.id)?.ok_or(store::Error::NotFound)?;
        let vault = self.engine.store().vault();
        let found = sessions::with_agent(tx, vault, self.key, user, self.session_id)?;
        let staffed = found.ok_or(store::Error::NotFound)?;
        let state = self.engine.new_state(staffed.agent.limits);
        self.start(
            tx,
            staffed,
            turn,
            Some(input.into()),
            TurnBeginning { state, ceiling: None, model: None },
            Active::Next,
        )
        .map(Some)
    }

    /// Starts this turn, or runs it once more.
    pub(crate) fn start(
        &self,
        tx: &mut Tx,
        staffed: Staffed,
        turn: turns::StoredTurn,
        said: Option<IncomingWords>,
        TurnBeginning { state, ceiling, model }: TurnBeginning,
        active: fn(TurnId) -> Active,
    ) -> store::Result<(Claimed, Vec<Event>)> {
        let attempt = turn.attempt.saturating_add(1);
        let opening = self
            .engine
            .opening(OpeningTurn {
                session: &staffed.session,
                agent: &staffed.agent,
                turn_id: turn.id,
                source: turn.source,
                attempt,
                said,
                state,
                ceiling,
                model,
                now: self.now,
            })
            .map_err(unwritable)?;
        let bytes = opening.record.to_bytes().map_err(unwritable)?;
        let (node, lease) = (self.engine.inner.node, self.engine.lease_until());
        let epoch = match turn.status {
            TurnStatus::Ended => {
                turns::reopen(tx, self.key, turn.id, node, lease, &bytes, attempt, self.now)?
            }
            _ => turns::start(tx, self.key, turn.id, node, lease, &bytes, attempt, self.now)?,
        };
        let epoch = epoch.ok_or(store::Error::Fenced)?;
        let record = opening.record.clone();
        let events = self.write_opening(tx, &staffed.session, opening, active(turn.id))?;
        let turn = ClaimedTurn { id: turn.id, epoch, attempt, source: turn.source };
        Ok((Claimed::new(self.key.clone(), staffed, turn, record, None), events))
    }

    fn write_opening(
        &self,
        tx: &mut Tx,
        session: &Session,
        opening: Opening,
        active: Active,
    ) -> store::Result<Vec<Event>> {
        let advance = Advance {
            events: opening.entries.len() as u64,
            messages: opening.messages,
            usage: Usage::ZERO,
            steered: 0,
            status: SessionStatus::Working,
            active,
            now: self.now,
        };
        let numbers = sessions::advance(tx, session.user_id, session.id, advance)?.numbers;
        let events = log::append(tx, self.key, numbers, self.now, opening.entries)?;
        model_calls::start(tx, &opening.model_call)?;
        Ok(events)
    }
}

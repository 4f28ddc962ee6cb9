//! Wakes a parked turn, inside the transaction that stores the answer it waited for.

use crate::{
    claim::{
        claimed::{Claimed, Recovery},
        record::{Record, is_unreadable},
    },
    engine::Engine,
};
use domain::{SessionId, SessionStatus, Timestamp, TurnId, Usage, UserId};
use store::{
    DataKey, Tx,
    sessions::{self, Active, Advance, Numbers},
    turns,
};

/// Lets turns go on that waited for an answer, inside its caller's transaction.
pub(crate) struct ParkedTurnWaker<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) key: &'a DataKey,
    pub(crate) session_id: SessionId,
    pub(crate) now: Timestamp,
}

/// What an answer has done to the turn that waited for it.
pub(crate) enum WokenTurn {
    /// Nothing: a worker has the turn, and looks for the answer itself.
    AtWork,
    /// It goes on here.
    Woken(Box<Claimed>),
    /// It waits no longer and cannot go on: too little of it can be read. The worker that takes it up ends it, with a message that says so.
    Unreadable,
}

impl WokenTurn {
    pub(crate) fn claimed(&self) -> Option<&Claimed> {
        match self {
            Self::Woken(claimed) => Some(claimed),
            Self::AtWork | Self::Unreadable => None,
        }
    }
}

impl ParkedTurnWaker<'_> {
    /// What cannot be read of the turn keeps no answer from being stored.
    pub(crate) fn wake(&self, tx: &mut Tx, user: UserId, turn: TurnId) -> store::Result<WokenTurn> {
        match self.claim(tx, user, turn) {
            Ok(None) => Ok(WokenTurn::AtWork),
            Ok(Some(claimed)) => Ok(WokenTurn::Woken(Box::new(claimed))),
            Err(error) if is_unreadable(&error) || error == store::Error::NotFound => {
                tracing::warn!(%turn, %error, "a turn that was answered cannot go on; it is ended");
                Ok(WokenTurn::Unreadable)
            }
            Err(error) => Err(error),
        }
    }

    fn claim(&self, tx: &mut Tx, user: UserId, turn: TurnId) -> store::Result<Option<Claimed>> {
        let (node, lease) = (self.engine.inner.node, self.engine.lease_until());
        let Some(turn) = turns::unpark(tx, self.key, turn, node, lease, self.now)? else {
            return Ok(None);
        };
        let recovery = Recovery::load(tx, self.key, &turn, true)?;
        let vault = self.engine.store().vault();
        let found = sessions::with_agent(tx, vault, self.key, user, self.session_id)?;
        let staffed = found.ok_or(store::Error::NotFound)?;
        let record = Record::of(&turn).ok_or_else(|| store::Error::Corrupt("turns.state".to_owned()))?;
        Ok(Some(Claimed::new(self.key.clone(), staffed, (&turn).into(), record, Some(recovery))))
    }
}

/// The session works again; gives the number of the event that says so.
pub(crate) fn working(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    now: Timestamp,
) -> store::Result<Numbers> {
    let advance = Advance {
        events: 1,
        messages: 0,
        usage: Usage::ZERO,
        steered: 0,
        status: SessionStatus::Working,
        active: Active::Keep,
        now,
    };
    Ok(sessions::advance(tx, user, session, advance)?.numbers)
}

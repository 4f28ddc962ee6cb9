//! Continues a turn after what it waited for is stored: an answer, an approval, the answer to an errand, or the end of their time.

use crate::{
    claim::wake_turn::WokenTurn, engine::Engine, error::Result, waiting::settle_refusal::SettleRefusal,
};
use domain::{Event, SessionId, TurnId, UserId};

impl Engine {
    /// Follows the commit of an answer: starts the turn here, tells the worker that has it, or lets it be taken up and ended because it
    /// cannot be read. `false`: the answer was not stored, because the turn waits for it no longer.
    pub(crate) fn continue_turn(
        &self,
        written: Result<(Vec<Event>, WokenTurn), SettleRefusal>,
        user: UserId,
        session: SessionId,
        turn: TurnId,
    ) -> Result<bool> {
        let (events, woken) = match written {
            Err(SettleRefusal::Settled) => return Ok(false),
            other => other?,
        };
        match woken {
            WokenTurn::Woken(claimed) => self.run_turn(*claimed, &events),
            WokenTurn::AtWork => {
                self.publish(user, session, &events);
                self.answer_everywhere(turn);
            }
            WokenTurn::Unreadable => {
                self.publish(user, session, &events);
                self.take_up_soon(turn);
            }
        }
        Ok(true)
    }
}

//! Turns of a person whose key is damaged. Nothing of them can be read, and no word can be stored for that person, so they end without
//! one; otherwise every search of every node would try them again. Who looks after the server is told.

use crate::{engine::Engine, error::Result, recovery::waiting_turn::seized, wording};
use domain::{CallStatus, SessionId, SessionStatus, Timestamp, TurnId, Usage, UserId};
use store::{
    Tx, approvals, calls, errands, model_calls, questions,
    sessions::{self, Active, Advance},
    turns::{self, Orphan},
};
use turn::Settlement;

impl Engine {
    /// Ends a turn that was left behind.
    pub(super) async fn end_unopened(&self, orphan: Orphan) -> Result<()> {
        let (turn, session, user) = (orphan.turn_id, orphan.session_id, orphan.user_id);
        let (engine, node, now) = (self.clone(), self.inner.node, self.now());
        let end = move |tx: &mut Tx| {
            // The session before the turn, as every other writer.
            if sessions::hold(tx, user, session)?.flatten() != Some(turn)
                || !turns::end_unopened(tx, orphan, node, engine.dead_before(), now)?
            {
                return Ok(None);
            }
            close(tx, user, session, turn, now).map(Some)
        };
        if let Some(withdrawn) = self.store().write(end).await? {
            self.tell_of_unopened(turn, session, withdrawn);
            self.start_waiting_soon(session, user);
        }
        Ok(())
    }

    /// Ends a turn that waits. `false` when it does not wait any more.
    pub(super) async fn end_unopened_queued(
        &self,
        (session, turn): (SessionId, TurnId),
        user: UserId,
    ) -> Result<bool> {
        let now = self.now();
        let end = move |tx: &mut Tx| {
            if !sessions::hold_idle(tx, user, session)? || !turns::end_unopened_queued(tx, turn, now)? {
                return Ok(None);
            }
            sessions::advance(tx, user, session, seized(turn, now))?;
            close(tx, user, session, turn, now).map(Some)
        };
        let Some(withdrawn) = self.store().write(end).await? else { return Ok(false) };
        self.tell_of_unopened(turn, session, withdrawn);
        Ok(true)
    }

    fn tell_of_unopened(&self, turn: TurnId, session: SessionId, withdrawn: Vec<TurnId>) {
        tracing::error!(
            %turn, %session,
            "the key of this conversation's person is damaged, so the reply has ended as failed; `majordomo doctor` says what to do"
        );
        if !withdrawn.is_empty() {
            self.settle_errands_soon(withdrawn);
        }
    }
}

/// What belongs to the turn ends with it. Gives the turns of other agents whose work is waited for no longer.
fn close(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    turn: TurnId,
    now: Timestamp,
) -> store::Result<Vec<TurnId>> {
    // What its requests may cost is not held back any longer.
    model_calls::fail_open(tx, turn, now)?;
    approvals::withdraw_of_turn(tx, turn, now)?;
    let mut withdrawn = Vec::new();
    for call in calls::open_of_turn(tx, turn)? {
        if call.status == CallStatus::Waiting {
            questions::withdraw(tx, call.id, now)?;
            approvals::withdraw(tx, call.id, now)?;
            withdrawn.extend(errands::withdraw(tx, call.id, now)?);
        }
        // THREAT[turn-02]: what had begun may have had its effect.
        let begun = call.status == CallStatus::Running && !call.class.runs_again();
        let settlement = if begun { Settlement::Unknown } else { Settlement::Stopped };
        let (status, _) = wording::settled_without_result(settlement);
        // No event says so: it could not be sealed.
        let settled = calls::Settled { status, result_seq: 0, started_at: None, at: now };
        calls::settle(tx, call.id, settled)?;
    }
    let ends = Advance {
        events: 0,
        messages: 0,
        usage: Usage::ZERO,
        steered: 0,
        status: SessionStatus::Failed,
        active: Active::Ends(turn),
        now,
    };
    sessions::advance(tx, user, session, ends)?;
    Ok(withdrawn)
}

//! What a turn cannot go on without: what its person is asked, by it, by an agent that works for it, or by a turn before it.

use crate::{
    engine::Engine,
    error::Result,
    follow::hints::{Hints, ParkingReader},
};
use domain::{ApprovalId, ApprovalStatus, QuestionId, SessionId, TurnId, TurnStatus, UserId};
use std::collections::HashSet;
use store::{DataKey, Tx, approvals, errands, questions, turns};

/// Turns that are looked at; errands that give errands are bounded far below it.
const MOST_TURNS: usize = 256;

/// What a turn waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    Question(QuestionId),
    Approval(ApprovalId),
}

/// Hears of every turn of a person that begins to wait for them.
pub struct Parkings(ParkingReader);

impl Parkings {
    /// The session of the next one; `None` when more has happened than is kept, so that any may have begun to wait.
    pub async fn next(&mut self) -> Option<SessionId> {
        self.0.next().await
    }
}

impl Engine {
    /// From now on; a caller that asks before it starts something misses nothing of it.
    pub fn parkings(&self, user: UserId) -> Parkings {
        Parkings(self.state::<Hints>().listen_for_parking(user))
    }

    /// What a turn waits for: what its person is asked by it, by agents that work for it, or by the turn that is before it in
    /// its session. `None` when no person has to say anything for it to go on.
    pub async fn waiting(&self, user: UserId, turn: TurnId) -> Result<Option<Vec<WaitsFor>>> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| waits_for(tx, &key, user, turn);
        let open: Vec<WaitsFor> = self.store().read(read).await?;
        Ok((!open.is_empty()).then_some(open))
    }
}

fn waits_for(tx: &mut Tx, key: &DataKey, user: UserId, turn: TurnId) -> store::Result<Vec<WaitsFor>> {
    let (mut open, mut seen, mut left) = (Vec::new(), HashSet::new(), vec![turn]);
    while let Some(turn) = left.pop() {
        if seen.len() >= MOST_TURNS || !seen.insert(turn) {
            continue;
        }
        let Some((session, status)) = turns::whereabouts(tx, user, turn)? else { continue };
        match status {
            TurnStatus::Ended => continue,
            TurnStatus::Queued => {
                left.extend(turns::active(tx, session)?);
                continue;
            }
            // What a turn asks while its agent still writes is told when that one waits.
            TurnStatus::Parked => {
                let asked = questions::open_of_turn(tx, key, turn)?;
                open.extend(asked.into_iter().map(|question| WaitsFor::Question(question.id)));
                let asked = approvals::of_turn(tx, key, turn)?;
                let pending = asked.into_iter().filter(|approval| approval.status == ApprovalStatus::Pending);
                open.extend(pending.map(|approval| WaitsFor::Approval(approval.id)));
            }
            TurnStatus::Running => {}
        }
        let given = errands::awaited(tx, key, turn)?;
        let unanswered = given.into_iter().filter(|(_, answer)| answer.is_none());
        left.extend(unanswered.map(|(errand, _)| errand.turn_id).rev());
    }
    Ok(open)
}

//! Leaving a turn to another node, at a moment at which nothing of it is lost: between two steps.

use crate::worker::Worker;
use store::{Tx, turns};
use turn::Effect;

impl Worker {
    /// This node leaves, and the turn has nothing under way: the next that it would do is to ask the model anew.
    pub(super) fn rests_before(&self, next: &[Effect]) -> bool {
        self.turn.engine.leaving().is_cancelled()
            && matches!(next, [Effect::BuildPrompt])
            && self.calls.tools.is_empty()
            && self.asking.stream.is_none()
            && self.heard.is_empty()
            && !self.lost
    }

    /// Gives the turn up, so that another node goes on with it. Where that cannot be stored the turn goes on here; whether it was stored or
    /// not, the epoch sees to it that one of both writes.
    pub(super) async fn hand_over(&mut self) -> bool {
        let (turn, epoch) = (self.turn.turn_id, self.turn.epoch);
        fail::fail_point!("handover_before_commit");
        let given =
            self.turn.engine.store().write(move |tx: &mut Tx| turns::hand_over(tx, turn, epoch)).await;
        fail::fail_point!("handover_after_commit");
        match given {
            Ok(given) => given,
            Err(error) => {
                tracing::warn!(%error, "the turn could not be left to another node; it goes on here");
                false
            }
        }
    }
}

//! How far agents may go with errands: how deep, how many at once, how often to and fro, and how many one message may lead to.

use crate::errands::{
    in_flight::ErrandSlot,
    prepared_errand::{Giver, broken},
};
use domain::{Limits, Source, TurnId};
use store::{Tx, errands as rows};

/// How often agents may write to each other before a person has to speak again.
const HOPS: u32 = 8;

/// How far agents may still go from a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct ErrandReach {
    /// The turn of a person that all this work is for.
    pub(super) root: TurnId,
    pub(super) depth_left: u32,
    pub(super) hops_left: u32,
    /// Errands that the turn has given already.
    given: u64,
}

/// One more errand may be given; counted from now on, also while it is not stored.
pub(crate) struct ErrandPermit {
    pub(super) reach: ErrandReach,
    pub(super) slot: ErrandSlot,
}

impl ErrandReach {
    fn read(tx: &mut Tx, turn: TurnId, source: Source, limits: &Limits) -> store::Result<Self> {
        let own = match source.is_part_of_turn() {
            true => rows::of_turn(tx, turn)?,
            false => None,
        };
        let root = own.map_or(turn, |own| own.root_turn);
        Ok(Self {
            root,
            depth_left: own.map_or(limits.depth, |own| own.depth_left.min(limits.depth)),
            hops_left: own.map_or(HOPS, |own| own.hops_left),
            given: rows::given(tx, turn)?,
        })
    }

    /// THREAT[agent-03]: agents that set each other going for ever.
    fn refusal(&self, limits: &Limits, uncommitted: u64, waits: bool) -> Option<String> {
        if self.given + uncommitted >= u64::from(limits.width) {
            return Some(format!(
                "this reply has already asked as many agents as it may ({}, limits.width); do the rest yourself",
                limits.width
            ));
        }
        if waits && self.depth_left == 0 {
            return Some("agents may not start agents any deeper (limits.depth); do it yourself".to_owned());
        }
        if self.hops_left == 0 {
            return Some(
                "agents have written to each other too often without a person; wait for a message from a person"
                    .to_owned(),
            );
        }
        None
    }
}

impl Giver {
    /// The words why not, or how far it may go.
    pub(crate) async fn reach(&self, uncommitted: u64, waits: bool) -> Result<ErrandPermit, String> {
        let (turn, source, limits) = (self.turn, self.source, self.agent.limits);
        let read = move |tx: &mut Tx| ErrandReach::read(tx, turn, source, &limits);
        let reach = self.engine.store().read(read).await.map_err(|error| broken(&error))?;
        if let Some(words) = reach.refusal(&limits, uncommitted, waits) {
            return Err(words);
        }
        // Taken before they are counted, so that of two turns that ask at the same moment each is counted.
        let (slot, unstored) = ErrandSlot::take(&self.engine, reach.root);
        let count = move |tx: &mut Tx| rows::in_tree(tx, reach.root);
        let stored = self.engine.store().read(count).await.map_err(|error| broken(&error))?;
        let most = self.engine.inner.settings.errands.most;
        if stored.saturating_add(unstored) > most {
            return Err(format!(
                "one message has already led to {most} tasks for other agents, which is the limit"
            ));
        }
        Ok(ErrandPermit { reach, slot })
    }

    /// The words why not one more message, as it is now.
    pub(crate) fn refusal(&self, tx: &mut Tx) -> store::Result<Option<String>> {
        let limits = self.agent.limits;
        Ok(ErrandReach::read(tx, self.turn, self.source, &limits)?.refusal(&limits, 0, false))
    }
}

//! What a turn may cost at most, set by the agent that it works for, also where not all that was stored of it can be read.

use crate::{
    budget::payer,
    claim::record::{Record, is_unreadable},
    engine::Engine,
};
use store::{DataKey, Tx, errands, inbox, sessions, turns, turns::StoredTurn, users};

/// Of nothing that can be read follows that anything may be spent. THREAT[agent-04]
const NOTHING: Option<u64> = Some(0);

impl Engine {
    /// As the turn's state says, or else the words that made it, or else what its maker may spend by now.
    pub(crate) fn ceiling_of(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        turn: &StoredTurn,
    ) -> store::Result<Option<u64>> {
        if let Some(record) = Record::of(turn) {
            return Ok(record.ceiling);
        }
        match inbox::of_turn(tx, key, turn.id) {
            Ok(Some(input)) => Ok(input.asker.and_then(|asker| asker.ceiling)),
            Ok(None) => self.ceiling_by_maker(tx, key, turn),
            Err(error) if is_unreadable(&error) => self.ceiling_by_maker(tx, key, turn),
            Err(error) => Err(error),
        }
    }

    /// The strictest of what holds for the turn that gave the errand. None for the turn of a person.
    fn ceiling_by_maker(&self, tx: &mut Tx, key: &DataKey, turn: &StoredTurn) -> store::Result<Option<u64>> {
        let Some(errand) = errands::of_turn(tx, turn.id)? else { return Ok(None) };
        let maker = match turns::get(tx, key, turn.user_id, errand.parent_turn) {
            Ok(Some(maker)) => maker,
            Ok(None) => return Ok(NOTHING),
            Err(error) if is_unreadable(&error) => return Ok(NOTHING),
            Err(error) => return Err(error),
        };
        let above = self.ceiling_of(tx, key, &maker)?;
        let vault = self.store().vault();
        let agent = match sessions::with_agent(tx, vault, key, turn.user_id, errand.parent_session) {
            Ok(Some(staffed)) => staffed.agent,
            Ok(None) => return Ok(NOTHING),
            Err(error) if is_unreadable(&error) => return Ok(NOTHING),
            Err(error) => return Err(error),
        };
        let person = users::by_id(tx, vault, turn.user_id)?.ok_or(store::Error::NotFound)?;
        let person = payer::of_person(person.budget, self.inner.settings.budget.default);
        let own = agent.budget.lower(person).per_turn_microusd;
        Ok([own, above].into_iter().flatten().min())
    }
}

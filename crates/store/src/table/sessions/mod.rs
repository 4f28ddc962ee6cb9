//! Sessions: making, finding, listing, changing, archiving and deleting them. How their turns queue is in [`queue`].

mod change;
mod copy;
mod find;
mod keep;
mod label;
mod list;
mod numbers;
mod queue_and_steering;
mod remove;
mod row;
mod versions;

pub use change::{own_files, rename, set_handler, set_memory, set_model, set_own_files, set_read_seq};
pub use copy::{begin_copy, drop_copies, drop_copy, finish_copy};
pub use find::{Staffed, agent_of, bare, colleague, get, reach, with_agent};
pub use keep::{due, mark_deleted, move_to, next_deletion, set_pinned, take_back};
pub use label::{doubt, newest, taint, trust};
pub(crate) use label::{label_bits, label_from};
pub use list::{SessionFilter, glances, list, newest_of, newest_of_people};
pub use numbers::Numbers;
pub(crate) use queue_and_steering::MOST_PER_CALL;
pub use queue_and_steering::{
    Active, Advance, Advanced, Steered, Taken, advance, drop_pending, hold, hold_idle, requeue, steer,
    take_input, take_message, take_seq,
};
pub use remove::{delete, set_archived};
pub(crate) use row::{open_name, seal_name};
pub use versions::{
    Departure, VersionOf, first_message_after, lock_shown, lock_waiting, nth_message, set_departure,
    show_version, versions,
};

use crate::{DataKey, Error, Result, Tx, agents, args};
use domain::Session;
use row::{narrowing_place, place};

/// Stores a session as it is given; the agent must be one that its user may use ([`Error::Constraint`] otherwise).
pub fn create(tx: &mut Tx, key: &DataKey, session: &Session) -> Result<()> {
    let name =
        session.name.as_deref().map(|name| key.seal(place(&session.id), name.as_bytes())).transpose()?;
    let narrowing = session.narrowing.as_deref();
    let narrowing =
        narrowing.map(|narrowing| key.seal_json(narrowing_place(&session.id), narrowing)).transpose()?;
    let sql = format!(
        "INSERT INTO sessions (user_id, id, agent_id, parent_id, status, archived, message_count, last_seq, \
         read_seq, pending, steering, input_tokens, output_tokens, cached_tokens, cost_microusd, label, \
         created_at, updated_at, name, handler, kind, narrowing, trusted_seq, doubted_seq, own_files, pinned, \
         folder_id, model, hidden, memory) \
         SELECT $1, $2, a.id, $4, $5, $6, $7, $8, $9, 0, 0, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
         $22, $23, $24, $25, $26, $27, $28 \
         FROM agents a WHERE a.id = $3 AND ({})",
        agents::USABLE
    );
    let stored = tx.run(
        &sql,
        args![
            session.user_id,
            session.id,
            session.agent_id,
            session.parent_id,
            session.status,
            session.archived,
            session.message_count,
            session.last_seq,
            session.read_seq,
            session.usage.input_tokens,
            session.usage.output_tokens,
            session.usage.cached_tokens,
            session.usage.cost_microusd,
            label_bits(session.label),
            session.created_at,
            session.updated_at,
            name,
            session.handler.clone(),
            session.kind,
            narrowing,
            session.trusted_seq,
            session.doubted_seq,
            session.own_files,
            session.keeping.pinned,
            session.keeping.folder_id,
            session.model.clone(),
            session.keeping.hidden,
            session.memory
        ],
    )?;
    if stored == 0 {
        return Err(Error::Constraint("this person may not use this agent".to_owned()));
    }
    Ok(())
}

//! How a turn becomes this node's.
//!
//! **Owns** the first transaction of a turn, its record, its lease and epoch, the turns that run here, the only entry
//! to the machine of the crate `turn`.
//! **Must never** work on a turn without its lease.
//! **Start at** [`opening`], then [`claimed`].

pub(crate) mod awaited;
pub(crate) mod claimed;
pub(crate) mod decision_audit;
pub(crate) mod from_queue;
pub(crate) mod input_refusal;
pub(crate) mod new_input;
pub(crate) mod node_state;
pub(crate) mod opening;
pub(crate) mod planned_call;
pub(crate) mod record;
pub(crate) mod running;
pub(crate) mod settings;
pub(crate) mod step_machine;
pub(crate) mod turn_context;
pub(crate) mod turn_starter;
pub(crate) mod wake_turn;

//! How a turn becomes this node's: its first transaction, the record that a worker goes on from, what wakes it. And what
//! every later room shares of a turn: its calls, and the machine that decides.

pub(crate) mod awaited;
pub(crate) mod claimed;
pub(crate) mod decision_audit;
pub(crate) mod from_queue;
pub(crate) mod opening;
pub(crate) mod planned_call;
pub(crate) mod record;
pub(crate) mod running;
pub(crate) mod settings;
pub(crate) mod step_machine;
pub(crate) mod turn_context;
pub(crate) mod turn_starter;
pub(crate) mod wake_turn;

//! The calls of one message.
//!
//! **Owns** deciding, running and answering them; calls in the text; questions and errands as calls.
//! **Must never** run anything past the gate, or run an effect twice.
//! **Start at** [`call_table`], then [`run_tool`].

pub(crate) mod agent_call;
pub(crate) mod begin_refusal;
pub(crate) mod call_table;
pub(crate) mod decide;
pub(crate) mod give_errand;
pub(crate) mod hear_answers;
pub(crate) mod loop_guard;
pub(crate) mod question_call;
pub(crate) mod run_tool;
pub(crate) mod system_functions;
pub(crate) mod text_calls;
pub(crate) mod weigh_call;

//! The calls of one message: decided, run, answered.

pub(crate) mod agent_call;
pub(crate) mod call_table;
pub(crate) mod decide;
pub(crate) mod give_errand;
pub(crate) mod hear_answers;
pub(crate) mod question_call;
pub(crate) mod repetition;
pub(crate) mod run_tool;
pub(crate) mod system_functions;
pub(crate) mod text_calls;
pub(crate) mod weigh_call;

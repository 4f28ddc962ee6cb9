//! Money: what may be spent, each request to a model with what it costs, and what was spent.

pub mod budgets;
pub mod model_calls;
pub mod usage;

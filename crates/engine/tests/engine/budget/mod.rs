//! What may be spent.

mod budgets;
mod overspend;
mod spending;
mod usage;

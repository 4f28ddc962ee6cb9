//! What people and agents may spend, and what they have spent.

pub(crate) mod purse;
pub(crate) mod settings;
pub(crate) mod usage;

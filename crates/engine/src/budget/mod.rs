//! What people and agents may spend, and what they have spent.

pub(crate) mod purse;
pub(crate) mod quote;
pub(crate) mod reserve;
pub(crate) mod settings;
pub(crate) mod usage;

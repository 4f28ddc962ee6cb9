//! What people and agents may spend, and what they have spent.
//!
//! **Owns** quotes, the purse of a turn, reservations, the figures of `/v1/usage`.
//! **Must never** let a request go out unreserved where there is a budget.
//! **Start at** [`purse`].

pub(crate) mod purse;
pub(crate) mod quote;
pub(crate) mod reserve;
pub(crate) mod settings;
pub(crate) mod usage;

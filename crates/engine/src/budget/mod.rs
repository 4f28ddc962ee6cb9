//! What people and agents may spend, and what they have spent.
//!
//! **Owns** quotes, who pays for a turn, reservations, the figures of `/v1/usage`.
//! **Must never** let a request go out unreserved where there is a budget.
//! **Start at** [`payer`].

pub(crate) mod payer;
pub(crate) mod quote;
pub(crate) mod reserve;
pub(crate) mod settings;
pub(crate) mod usage;

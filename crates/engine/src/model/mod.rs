//! Asking a model.
//!
//! **Owns** the request, what it may cost, the draft of the answer, providers that people store, side requests for
//! titles and summaries.
//! **Must never** retry a message on its own: whether asking again is safe is the machine's knowledge.
//! **Start at** [`ask`].

mod account;
pub(crate) mod ask;
pub(crate) mod asking;
pub(crate) mod draft;
mod pay;
pub(crate) mod providers;
pub(crate) mod side_request;
pub(crate) mod unknown_price;

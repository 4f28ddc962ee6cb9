//! Asking a model: the request, what it may cost, the draft of its answer.

mod account;
pub(crate) mod ask;
pub(crate) mod asking;
pub(crate) mod draft;
mod pay;
pub(crate) mod providers;
pub(crate) mod side_request;
pub(crate) mod unknown_price;

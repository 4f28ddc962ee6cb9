//! Asking a model: the request, what it may cost, the draft of its answer.

pub(crate) mod ask;
pub(crate) mod draft;
pub(crate) mod pay;
pub(crate) mod providers;
pub(crate) mod side_request;
pub(crate) mod unknown_price;

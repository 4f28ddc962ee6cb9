//! Asking a model.
//!
//! **Owns** the request, what it may cost, reading the answer while it streams, its draft, providers that people store, side requests for
//! titles and summaries.
//! **Must never** retry a message on its own: whether asking again is safe is the machine's knowledge. Nor read
//! anything but the stream of the running step for calls: words of people, tools and old messages may look like markup.
//! **Start at** [`ask`].

mod account;
pub(crate) mod ask;
pub(crate) mod asking;
pub(crate) mod draft;
mod pay;
pub(crate) mod picture_switch;
pub(crate) mod providers;
pub(crate) mod read_stream;
pub(crate) mod side_request;
pub(crate) mod unknown_price;

//! The WebSocket: one per window, over which a person follows many sessions, speaks and stops.
//!
//! One task per connection does everything: it reads a frame, or writes what one reader has. While the other end takes
//! nothing, nothing is asked of any reader, so there is no queue that could grow; an end that takes nothing for long is
//! dropped by the socket itself ([`crate::connection::patient`]).
//!
//! `client.rs` is what a client says, `told.rs` what it is told, `actions.rs` what its messages do, `subscriptions.rs` the
//! sessions it follows, `bucket.rs` how much it may ask, `connection.rs` the loop.

mod actions;
mod bucket;
mod client;
mod connection;
mod subscriptions;
mod told;

pub(crate) use connection::{Connection, FRAME_BYTES};

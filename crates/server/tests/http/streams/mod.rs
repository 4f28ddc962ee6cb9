//! What clients follow.

mod events;
mod everything;
mod websocket;

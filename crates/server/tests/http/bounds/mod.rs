//! What the server refuses or ends, so that others are served.

mod bad_input;
mod crowd;
mod endless;
mod hygiene;
mod overload;
mod readiness;
mod shutdown;
mod websocket_bounds;
